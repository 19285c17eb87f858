package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads the attributes of one annotation into a request. An attribute that is a number has a twin for a text with
 * placeholders, such as {@code waitTimeString}.
 */
record LockAttributes(LockSite site, MergedAnnotation<?> annotation, Placeholders placeholders) {

    private static final String UP_TO = "Use at least 1 ms and at most ten years, or -1 ";

    /** Returns the request for the lock of that name, with the attributes that are set. */
    LockRequest request(String name) {
        LockRequest request = withMode(LockRequest.of(name, ""))
                .withOnLost(this.annotation.getEnum("onLost", OnLost.class))
                .withReleaseAfterTransaction(this.annotation.getBoolean("releaseAfterTransaction"));
        request = withTime(
                request,
                "waitTime",
                DistributedLock.DEFAULT,
                LockRequest::withWaitTime,
                "Use 0 (try once), a time of at most ten years, or -1 (no limit).");
        request = withTime(request, "lease", -1, LockRequest::withLease, UP_TO + "(renewed).");
        request =
                withTime(request, "maxHold", DistributedLock.DEFAULT, LockRequest::withMaxHold, UP_TO + "(no limit).");
        return withTime(
                request,
                "minHold",
                0,
                LockRequest::withMinHold,
                "Use at most ten years, or 0 (released when the method returns).");
    }

    private LockRequest withMode(LockRequest request) {
        if (this.site.annotation() == DistributedSemaphore.class) {
            return withPermits(request);
        }
        LockMode mode = this.annotation.getEnum("mode", LockMode.class);
        if (mode == LockMode.PERMIT) {
            throw this.site.rejection(
                    "mode = PERMIT has no number of permits",
                    "Use @DistributedSemaphore, which has the attributes permits and weight.");
        }
        return request.withMode(mode);
    }

    private LockRequest withPermits(LockRequest request) {
        int permits = this.annotation.getInt("permits");
        int weight = this.annotation.getInt("weight");
        Text text = text("permits", permits != 0);
        try {
            return request.withPermits(weight, text != null ? Integer.parseInt(text.resolved) : permits);
        } catch (IllegalArgumentException ex) {
            throw this.site.rejection(
                    (text != null ? text.shown : "permits = " + permits) + " with weight = " + weight + " is out of range",
                    "Set permits, or permitsString with a placeholder such as ${exports.permits}, to the number of permits"
                            + " that all holders in all JVMs may have together, from 1 to 999999999, and weight to at least"
                            + " 1 and at most that number.",
                    ex);
        }
    }

    private LockRequest withTime(
            LockRequest request,
            String attribute,
            long unset,
            BiFunction<LockRequest, Duration, LockRequest> with,
            String remedy) {
        long number = this.annotation.getLong(attribute);
        TimeUnit unit = this.annotation.getEnum("timeUnit", TimeUnit.class);
        Text text = text(attribute, number != unset);
        if (text != null ? text.resolved.isEmpty() : number == unset) {
            return request;
        }
        String shown = text != null ? text.shown : attribute + " = " + number + " with timeUnit = " + unit;
        try {
            return with.apply(request, text != null ? parse(text, unit) : time(number, unit));
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw this.site.rejection(shown + " is out of range", remedy, ex);
        }
    }

    private static Duration time(long number, TimeUnit unit) {
        if (number < -1) {
            throw new IllegalArgumentException("The number is negative.");
        }
        return number == -1 ? LockRequest.FOREVER : Duration.of(number, unit.toChronoUnit());
    }

    private Duration parse(Text text, TimeUnit unit) {
        if (text.resolved.equals("-1")) {
            return LockRequest.FOREVER;
        }
        try {
            return DurationFormatterUtils.detectAndParse(
                    text.resolved, DurationFormat.Unit.fromChronoUnit(unit.toChronoUnit()));
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw this.site.rejection(
                    text.shown + " is not a duration", "Use a text such as 30s, PT30S, or a number in timeUnit.", ex);
        }
    }

    /** Returns the text of an attribute's twin; null if it is not set. */
    private @Nullable Text text(String attribute, boolean numberIsSet) {
        String twin = attribute + "String";
        String text = this.annotation.getString(twin);
        if (text.isEmpty()) {
            return null;
        }
        if (numberIsSet) {
            throw this.site.rejection(
                    attribute + " and " + twin + " are both set", "Remove one of them; both set the same value.");
        }
        String resolved = this.placeholders.resolve(this.site, twin, text);
        String shown = twin + " = \"" + text + '"' + (resolved.equals(text) ? "" : ", which is \"" + resolved + "\",");
        return new Text(resolved, shown);
    }

    /** A text without placeholders, and as messages show it. */
    private record Text(String resolved, String shown) {}
}
