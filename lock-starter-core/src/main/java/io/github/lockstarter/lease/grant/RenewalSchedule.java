package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.settings.LockSettings;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Determines when to renew. Immutable; times are nanoseconds unless they say otherwise. */
public final class RenewalSchedule {

    private static final long SHORTEST_RETRY = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);

    private final long interval;

    private final long lateAfter;

    private final long longestRetry;

    private final long leaseMillis;

    private final long awaitMillis;

    public RenewalSchedule(LockSettings settings) {
        this.interval = settings.renewInterval().toNanos();
        this.lateAfter = Math.min(
                settings.commandTimeout().toNanos(),
                settings.watchdogTimeout().dividedBy(6).toNanos());
        this.longestRetry = settings.watchdogTimeout().dividedBy(12).toNanos();
        this.leaseMillis = settings.watchdogTimeout().toMillis();
        this.awaitMillis = 2 * settings.commandTimeout().toMillis();
    }

    /** Returns the schedules of those settings. */
    public static ByName<RenewalSchedule> byName(LockSettings settings) {
        return new ByName<>(settings, RenewalSchedule::new);
    }

    /** Returns whether grants of both schedules can be renewed together. */
    boolean isSameAs(RenewalSchedule other) {
        return this.interval == other.interval && this.leaseMillis == other.leaseMillis;
    }

    /** Returns the lease of a renewal in milliseconds. */
    long leaseMillis() {
        return this.leaseMillis;
    }

    /** Returns the lease in milliseconds that confirms a grant of that request. */
    long leaseMillis(LockRequest request) {
        Duration lease = request.lease();
        return lease == null || LeaseTerms.isRenewed(request) ? this.leaseMillis : lease.toMillis();
    }

    /** Returns how many milliseconds a caller waits for a renewal. */
    long awaitMillis() {
        return this.awaitMillis;
    }

    /** Returns the time from one renewal to the next; up to a twentieth longer each time, so that instances drift apart. */
    long interval() {
        return jittered(this.interval + this.interval / 40);
    }

    /**
     * Returns the time within which leases are renewed together with those that are due now, and from then on at the same
     * time: full batches, one after the other. A batch that wakes an idle Redis costs it half as much again.
     */
    long coalescingWindow() {
        return this.interval / 8;
    }

    /** Returns the time after which a renewal without a reply is late. */
    long lateAfter() {
        return this.lateAfter;
    }

    /** Returns the same for a grant that is not confirmed: a fraction of what is left, because that is a short time. */
    long lateAfter(long remainingNanos) {
        return Math.min(this.lateAfter, Math.max(SHORTEST_RETRY, remainingNanos / 6));
    }

    /** Returns the time from a failure to the next attempt; doubles up to a twelfth of the lease. */
    long retry(int failures) {
        long pause = FIRST_RETRY << Math.min(failures - 1, 10);
        return jittered(Math.min(pause, this.longestRetry));
    }

    private static long jittered(long nanos) {
        return nanos + nanos / 40 - ThreadLocalRandom.current().nextLong(nanos / 20 + 1);
    }
}
