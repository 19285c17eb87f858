package io.github.lockstarter.named;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the locks of one static name, from the properties {@code distributed-lock.locks.<name>}. A value of
 * null is not set. Immutable. Rejects values that cannot work, under the names of their properties.
 *
 * @param name the name as it is written in the properties
 * @param waitTime zero: one attempt; {@link LockRequest#FOREVER}: no limit
 * @param lease a fixed lease; {@link LockRequest#FOREVER}: renewed
 * @param maxHold limit for renewed leases; {@link LockRequest#FOREVER}: none
 * @param minHold zero: none
 * @param onLost the reaction to a loss; not {@code DEFAULT}
 * @param watchdogTimeout lease of renewed locks
 * @param maxWaiters maximum number of callers of one instance that wait
 */
public record NamedSettings(
        String name,
        @Nullable NamedValue<Duration> waitTime,
        @Nullable NamedValue<Duration> lease,
        @Nullable NamedValue<Duration> maxHold,
        @Nullable NamedValue<Duration> minHold,
        @Nullable NamedValue<OnLost> onLost,
        @Nullable NamedValue<Duration> watchdogTimeout,
        @Nullable NamedValue<Integer> maxWaiters) {

    private static final String ANNOTATION = "that of the annotation, or else ";

    public NamedSettings {
        if (waitTime != null) {
            SettingRule.requireWaitTime(
                    waitTime.property(), waitTime.value(), ANNOTATION + "distributed-lock.wait-time");
        }
        if (lease != null) {
            requirePositive(lease, "or -1ms (renewed)", ANNOTATION + "a renewed lease");
        }
        if (maxHold != null) {
            requirePositive(maxHold, "or -1ms (no cap)", ANNOTATION + "distributed-lock.watchdog.max-hold");
        }
        if (minHold != null) {
            SettingRule.require(
                    SettingRule.isTime(minHold.value(), Duration.ZERO),
                    minHold.property(),
                    minHold.value(),
                    "must be zero (no minimum) or a time up to 3660 days",
                    ANNOTATION + "none");
        }
        if (minHold != null && lease != null && isLonger(minHold.value(), lease.value())) {
            throw tooShort(minHold, lease);
        }
        if (onLost != null) {
            SettingRule.require(
                    onLost.value() != OnLost.DEFAULT,
                    onLost.property(),
                    onLost.value(),
                    "must be throw, interrupt or ignore",
                    ANNOTATION + "distributed-lock.on-lost");
        }
        if (watchdogTimeout != null) {
            SettingRule.requireTimeout(
                    watchdogTimeout.property(), watchdogTimeout.value(), "distributed-lock.watchdog.timeout");
        }
        if (maxWaiters != null) {
            SettingRule.requireMaxWaiters(
                    maxWaiters.property(), maxWaiters.value(), ANNOTATION + "distributed-lock.max-waiters");
        }
    }

    private static void requirePositive(NamedValue<Duration> time, String orElse, String otherwise) {
        SettingRule.require(
                LockRequest.FOREVER.equals(time.value()) || SettingRule.isPositive(time.value()),
                time.property(),
                time.value(),
                "must be at least 1ms and at most 3660 days, " + orElse,
                otherwise);
    }

    /** Creates settings without any value. */
    public static NamedSettings of(String name) {
        return new NamedSettings(name, null, null, null, null, null, null, null);
    }

    /**
     * Returns the name of a property of a lock without the prefix {@code distributed-lock.}.
     *
     * @param setting the last part, such as {@code wait-time}
     */
    public static String property(String name, String setting) {
        boolean plain = !name.isEmpty() && name.chars().allMatch(NamedSettings::isPlain);
        return "locks." + (plain ? name : '[' + name + ']') + '.' + setting;
    }

    private static boolean isPlain(int letter) {
        return letter == '-' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    }

    /** Returns whether a minimum hold is longer than a fixed lease. */
    public static boolean isLonger(Duration minHold, @Nullable Duration lease) {
        return lease != null && !LockRequest.FOREVER.equals(lease) && minHold.compareTo(lease) > 0;
    }

    private static InvalidLockSettingException tooShort(NamedValue<Duration> minHold, NamedValue<Duration> lease) {
        return new InvalidLockSettingException(
                        minHold.property(),
                        minHold.value(),
                        "must not exceed the fixed lease distributed-lock." + lease.property() + " ("
                                + Printable.duration(lease.value()) + "), which is never renewed",
                        "Make the lease at least as long, or set it to -1: it is then renewed.")
                .with(lease.property(), lease.value());
    }

    /** Returns one of the values, or {@code null} if there is none. */
    public @Nullable NamedValue<?> anyValue() {
        return Stream.of(
                        this.waitTime,
                        this.lease,
                        this.maxHold,
                        this.minHold,
                        this.onLost,
                        this.watchdogTimeout,
                        this.maxWaiters)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns the request with these values where it has none; the same request if nothing is added. */
    LockRequest complete(LockRequest request) {
        return apply(request, false);
    }

    /** Returns a copy of the request in which these values replace the values of the request. */
    public LockRequest override(LockRequest request) {
        return apply(request, true);
    }

    private LockRequest apply(LockRequest request, boolean always) {
        LockRequest changed =
                with(request, always || request.waitTime() == null, this.waitTime, LockRequest::withWaitTime);
        changed = with(changed, always || request.lease() == null, this.lease, LockRequest::withLease);
        changed = with(changed, always || request.maxHold() == null, this.maxHold, LockRequest::withMaxHold);
        changed = with(changed, always || !request.isMinHoldSet(), this.minHold, LockRequest::withMinHold);
        changed = with(changed, always || request.maxWaiters() == null, this.maxWaiters, LockRequest::withMaxWaiters);
        return with(changed, always || request.onLost() == OnLost.DEFAULT, this.onLost, LockRequest::withOnLost);
    }

    private static <T> LockRequest with(
            LockRequest request,
            boolean applies,
            @Nullable NamedValue<T> value,
            BiFunction<LockRequest, T, LockRequest> with) {
        return applies && value != null ? with.apply(request, value.value()) : request;
    }

    /** Returns these settings, completed by the settings of another spelling of the name. */
    NamedSettings orElse(NamedSettings other) {
        return new NamedSettings(
                this.name,
                first(this.waitTime, other.waitTime),
                first(this.lease, other.lease),
                first(this.maxHold, other.maxHold),
                first(this.minHold, other.minHold),
                first(this.onLost, other.onLost),
                first(this.watchdogTimeout, other.watchdogTimeout),
                first(this.maxWaiters, other.maxWaiters));
    }

    private static <T> @Nullable NamedValue<T> first(@Nullable NamedValue<T> one, @Nullable NamedValue<T> other) {
        return one != null ? one : other;
    }
}
