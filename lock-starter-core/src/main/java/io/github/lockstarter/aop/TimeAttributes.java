package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Reads the time attributes of one annotation: each is a number in {@code timeUnit} or a text with placeholders. */
final class TimeAttributes {

    private static final String UP_TO = " and at most ten years, or -1 ";

    private static final LockRequest PROBE = LockRequest.of("probe");

    private final LockSite site;

    private final MergedAnnotation<?> annotation;

    private final Placeholders placeholders;

    private final TimeUnit unit;

    TimeAttributes(LockSite site, MergedAnnotation<?> annotation, Placeholders placeholders) {
        this.site = site;
        this.annotation = annotation;
        this.placeholders = placeholders;
        this.unit = annotation.getEnum("timeUnit", TimeUnit.class);
    }

    /** Returns how long calls wait; null for the configured default. */
    @Nullable
    Duration waitTime() {
        return textOrNumber(
                "waitTime",
                DistributedLock.DEFAULT,
                PROBE::withWaitTime,
                "Use 0 (try once), a time of at most ten years, or -1 (no limit).");
    }

    /** Returns the lease; null if it is renewed. */
    @Nullable
    Duration lease() {
        return textOrNumber("lease", -1, PROBE::withLease, "Use at least 1 ms" + UP_TO + "(renewed).");
    }

    /** Returns the limit of renewal; null for the configured default. */
    @Nullable
    Duration maxHold() {
        return textOrNumber(
                "maxHold", DistributedLock.DEFAULT, PROBE::withMaxHold, "Use at least 1 ms" + UP_TO + "(no limit).");
    }

    /** Returns the minimum hold; zero for none. */
    Duration minHold() {
        String remedy = "Use at most ten years, or 0 (released when the method returns).";
        if (this.annotation.getLong("minHold") == -1) {
            throw this.site.rejection("minHold = -1 is out of range", remedy);
        }
        Duration minHold = textOrNumber("minHold", 0, PROBE::withMinHold, remedy);
        return minHold != null ? minHold : Duration.ZERO;
    }

    private @Nullable Duration textOrNumber(String attribute, long unset, Consumer<Duration> check, String remedy) {
        String twin = attribute + "String";
        String text = this.annotation.getString(twin);
        if (text.isEmpty()) {
            return number(attribute, unset, check, remedy);
        }
        if (this.annotation.getLong(attribute) != unset) {
            throw this.site.rejection(
                    attribute + " and " + twin + " are both set", "Remove one of them; both set the same value.");
        }
        String resolved = this.placeholders.resolve(this.site, twin, text);
        if (resolved.isEmpty()) {
            return null;
        }
        String shown = twin + " = \"" + text + '"' + (resolved.equals(text) ? "" : ", which is \"" + resolved + "\",");
        Duration time = resolved.equals("-1") ? LockRequest.FOREVER : parse(resolved, shown);
        return checked(time, shown, check, remedy);
    }

    private @Nullable Duration number(String attribute, long unset, Consumer<Duration> check, String remedy) {
        long number = this.annotation.getLong(attribute);
        if (number == unset) {
            return null;
        }
        if (number == -1) {
            return LockRequest.FOREVER;
        }
        String shown = attribute + " = " + number + " with timeUnit = " + this.unit;
        if (number < -1) {
            throw this.site.rejection(shown + " is out of range", remedy);
        }
        try {
            return checked(Duration.of(number, this.unit.toChronoUnit()), shown, check, remedy);
        } catch (ArithmeticException ex) {
            throw this.site.rejection(shown + " is out of range", remedy, ex);
        }
    }

    private Duration parse(String resolved, String shown) {
        try {
            return DurationFormatterUtils.detectAndParse(
                    resolved, DurationFormat.Unit.fromChronoUnit(this.unit.toChronoUnit()));
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw this.site.rejection(
                    shown + " is not a duration", "Use a text such as 30s, PT30S, or a number in timeUnit.", ex);
        }
    }

    private Duration checked(Duration time, String shown, Consumer<Duration> check, String remedy) {
        try {
            check.accept(time);
            return time;
        } catch (IllegalArgumentException ex) {
            throw this.site.rejection(shown + " is out of range", remedy, ex);
        }
    }
}
