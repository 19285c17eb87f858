package io.github.lockstarter.named;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks a setting and reports it under the name of its property. */
public final class SettingRule {

    private static final Duration MAX_TIME = Duration.ofDays(3660);

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(100);

    private static final Duration ONE_MILLI = Duration.ofMillis(1);

    private SettingRule() {}

    /**
     * Throws unless the setting is valid.
     *
     * @param property name below {@code distributed-lock}
     * @param rule continues the sentence "the value …"
     * @param otherwise the default
     */
    public static void require(boolean valid, String property, @Nullable Object value, String rule, String otherwise) {
        if (!valid) {
            throw new InvalidLockSettingException(
                    property, value, rule, "Correct the property, or leave it out; the default is " + otherwise + ".");
        }
    }

    /** Requires a wait time: zero or more, or {@link LockRequest#FOREVER}. */
    public static void requireWaitTime(String property, Duration value, String otherwise) {
        require(
                LockRequest.FOREVER.equals(value) || isTime(value, Duration.ZERO),
                property,
                value,
                "must be zero (try once), a time up to 3660 days, or -1ms (wait for ever)",
                otherwise);
    }

    /** Requires a watchdog timeout. */
    public static void requireTimeout(String property, Duration value, String otherwise) {
        require(isTime(value, MIN_TIMEOUT), property, value, "must be at least 100ms and at most 3660 days", otherwise);
    }

    /** Requires a maximum number of waiters: zero or more, or {@code null} if it is not set. */
    public static void requireMaxWaiters(String property, @Nullable Integer value, String otherwise) {
        require(
                value == null || value >= 0,
                property,
                value,
                "must be zero (refuse each caller that would have to wait) or more",
                otherwise);
    }

    /** Returns whether the time is at least that, and not longer than any setting may be. */
    public static boolean isTime(Duration value, Duration least) {
        return value.compareTo(least) >= 0 && value.compareTo(MAX_TIME) <= 0;
    }

    /** Returns whether the time is a millisecond or more, and not longer than any setting may be. */
    public static boolean isPositive(Duration value) {
        return isTime(value, ONE_MILLI);
    }
}
