package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.Contender;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What one figure of this library must be, by itself or as a multiple of somebody else's in the same run.
 *
 * @param atLeast a lower bound, otherwise an upper one
 * @param factor the bound, or how many times the reference's figure
 * @param reference whose figure; null: none
 * @param subject whom alone it is for; null: this library however it is used
 */
record Bound(
        Metric metric,
        boolean atLeast,
        double factor,
        @Nullable Contender reference,
        @Nullable Contender subject) {

    static Bound atLeast(Metric metric, double value) {
        return new Bound(metric, true, value, null, null);
    }

    static Bound atMost(Metric metric, double value) {
        return new Bound(metric, false, value, null, null);
    }

    Bound times(Contender contender) {
        return new Bound(this.metric, this.atLeast, this.factor, contender, this.subject);
    }

    Bound only(Contender contender) {
        return new Bound(this.metric, this.atLeast, this.factor, this.reference, contender);
    }

    boolean isFor(Contender contender) {
        return this.subject == null ? contender.isOurs() : this.subject == contender;
    }

    String describe() {
        return this.metric.label()
                + (this.atLeast ? " ≥ " : " ≤ ")
                + (this.reference == null
                        ? this.metric.format(this.factor)
                        : trimmed(this.factor) + " × " + this.reference.label());
    }

    /** What it was, as the bound is put; nothing if it or the reference was not measured. */
    OptionalDouble actual(RowResult results, Contender contender) {
        OptionalDouble own = results.median(contender, this.metric);
        if (this.reference == null || own.isEmpty()) {
            return own;
        }
        OptionalDouble other = results.median(this.reference, this.metric);
        return other.isPresent() && other.getAsDouble() != 0
                ? OptionalDouble.of(own.getAsDouble() / other.getAsDouble())
                : OptionalDouble.empty();
    }

    String format(double actual) {
        return this.reference == null ? this.metric.format(actual) : String.format(Locale.ROOT, "%.2f ×", actual);
    }

    boolean holds(double actual) {
        return this.atLeast ? actual >= this.factor : actual <= this.factor;
    }

    private static String trimmed(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
