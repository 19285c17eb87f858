package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What one figure of this library must be, by itself or as a multiple of another contender's in the same run.
 *
 * @param atLeast a lower bound, otherwise an upper one
 * @param factor the bound, or how many times the reference's figure
 * @param reference whose figure; null: none
 * @param alternative another one that is enough if this one does not hold; null: none
 * @param subject whom alone it is for; null: this library however it is used
 * @param reason why it does not hold, a sentence that the report has then; null: unknown
 */
record Bound(
        Metric metric,
        boolean atLeast,
        double factor,
        @Nullable Contender reference,
        @Nullable Bound alternative,
        @Nullable Contender subject,
        @Nullable String reason) {

    static Bound atLeast(Metric metric, double value) {
        return new Bound(metric, true, value, null, null, null, null);
    }

    static Bound atMost(Metric metric, double value) {
        return new Bound(metric, false, value, null, null, null, null);
    }

    Bound times(Contender contender) {
        return new Bound(
                this.metric, this.atLeast, this.factor, contender, this.alternative, this.subject, this.reason);
    }

    Bound only(Contender contender) {
        return new Bound(
                this.metric, this.atLeast, this.factor, this.reference, this.alternative, contender, this.reason);
    }

    /** For a goal that is the smaller of two. */
    Bound or(Bound other) {
        return new Bound(this.metric, this.atLeast, this.factor, this.reference, other, this.subject, this.reason);
    }

    Bound because(String reason) {
        return new Bound(
                this.metric, this.atLeast, this.factor, this.reference, this.alternative, this.subject, reason);
    }

    boolean isFor(Contender contender) {
        return this.subject == null ? contender.isOurs() : this.subject == contender;
    }

    String describe() {
        return this.metric.label()
                + (this.atLeast ? " ≥ " : " ≤ ")
                + (this.reference == null
                        ? this.metric.format(this.factor)
                        : trimmed(this.factor) + " × " + this.reference.label())
                + (this.alternative == null ? "" : " or " + this.alternative.describe());
    }

    /**
     * What came of it.
     *
     * @param actual the figures, as the bound is put
     * @param holds whether they are good enough
     */
    record Verdict(String actual, boolean holds) {}

    /** Nothing if a figure or a reference that matters was not measured. */
    Optional<Verdict> judge(RowResult results, Contender contender) {
        OptionalDouble actual = actual(results, contender);
        Optional<Verdict> own = actual.isPresent() ? Optional.of(judge(actual.getAsDouble())) : Optional.empty();
        if (this.alternative == null) {
            return own;
        }
        Optional<Verdict> other = this.alternative.judge(results, contender);
        if (own.isPresent() && other.isPresent()) {
            return Optional.of(new Verdict(
                    own.get().actual() + ", " + other.get().actual(),
                    own.get().holds() || other.get().holds()));
        }
        return own.or(() -> other).filter(Verdict::holds);
    }

    private Verdict judge(double actual) {
        return new Verdict(format(actual), this.atLeast ? actual >= this.factor : actual <= this.factor);
    }

    private OptionalDouble actual(RowResult results, Contender contender) {
        OptionalDouble own = results.median(contender, this.metric);
        if (this.reference == null || own.isEmpty()) {
            return own;
        }
        OptionalDouble other = results.median(this.reference, this.metric);
        return other.isPresent() && other.getAsDouble() != 0
                ? OptionalDouble.of(own.getAsDouble() / other.getAsDouble())
                : OptionalDouble.empty();
    }

    private String format(double actual) {
        return this.reference == null ? this.metric.format(actual) : String.format(Locale.ROOT, "%.2f ×", actual);
    }

    private static String trimmed(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
