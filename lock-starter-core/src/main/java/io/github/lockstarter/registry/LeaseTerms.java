package io.github.lockstarter.registry;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Terms;
import io.github.lockstarter.named.NamedSettings;
import java.time.Duration;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** Determines the times of requests, and uses the settings as defaults. Immutable. */
final class LeaseTerms {

    private final LockSettings settings;

    /** The times of requests that specify none and whose name has no settings. */
    private final Terms common;

    /** The times by the settings of names, of which there is a fixed number. */
    private final IdentityHashMap<NamedSettings, Terms> own = new IdentityHashMap<>();

    LeaseTerms(LockSettings settings) {
        this.settings = settings;
        this.common = renewed(null);
        settings.named().all().forEach(named -> this.own.put(named, renewed(named)));
    }

    private Terms renewed(@Nullable NamedSettings named) {
        Duration maxHold = this.settings.maxHold();
        return new Terms(
                this.settings.watchdogTimeout(named).toNanos(),
                this.settings.renewInterval(named).toNanos(),
                maxHold != null ? maxHold.toNanos() : Moment.NEVER,
                0);
    }

    /** Returns the times of a grant for the given request. */
    Terms of(LockRequest request) {
        Duration lease = request.lease();
        Duration maxHold = request.maxHold();
        long minHold = request.minHold().toNanos();
        if (lease != null && !lease.isNegative()) {
            return new Terms(lease.toNanos(), Moment.NEVER, Moment.NEVER, minHold);
        }
        NamedSettings named = this.own.isEmpty() ? null : this.settings.named().find(request.name());
        Terms renewed = named != null ? this.own.getOrDefault(named, this.common) : this.common;
        if (maxHold == null && minHold == 0) {
            return renewed;
        }
        long longest = maxHold != null ? nanos(maxHold) : renewed.maxHold();
        return new Terms(renewed.lease(), renewed.renewAfter(), longest, minHold);
    }

    /**
     * Returns the wait time of the request in nanoseconds. It is 0 for a single attempt and {@link Moment#NEVER}
     * without a limit.
     */
    long waitTime(LockRequest request) {
        Duration waitTime = request.waitTime();
        return nanos(waitTime != null ? waitTime : this.settings.waitTime());
    }

    private static long nanos(Duration time) {
        return LockRequest.FOREVER.equals(time) ? Moment.NEVER : time.toNanos();
    }

    /** Converts a time in nanoseconds to the form that users specify. */
    static Duration duration(long nanos) {
        return nanos == Moment.NEVER ? LockRequest.FOREVER : Duration.ofNanos(nanos);
    }
}
