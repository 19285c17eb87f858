package io.github.lockstarter.lock;

import io.github.lockstarter.LockRequest;

/**
 * The settings of all locks of an engine, and the limits and parts of times that follow from them. Times are in
 * nanoseconds. Immutable.
 *
 * @param commandTimeout time within which a command is answered or has failed
 * @param poll time after which a waiter asks again, unless the store sets another interval
 * @param claim lease with which the store grants a lock to an acquisition from its waiting line, or 0 if its messages
 *     are only hints
 * @param handOverTime time after a grant of the store during which it may be handed over in memory and readers may join
 *     it
 * @param maxHandOvers maximum number of hand-overs in memory of one grant of the store
 * @param needsConfirmation whether a grant is proved only by the reply to a command of the acquisition itself, because
 *     replicas must confirm it
 * @param maxWaiters maximum number of callers of this JVM that wait for one lock, unless a request sets
 *     another number; {@code Integer.MAX_VALUE} if there is no limit
 */
public record Rules(
        long commandTimeout,
        long poll,
        long claim,
        long handOverTime,
        int maxHandOvers,
        boolean needsConfirmation,
        int maxWaiters) {

    private static final long MIN_MARGIN = 2 * Moment.MILLI;

    /**
     * Divisor of the lease that limits the pause after a failed renewal, which is repeated about ten times or more
     * before the lease ends.
     */
    private static final int RETRIES_IN_A_LEASE = 12;

    /**
     * Number of slots in a renewal interval. Renewals are due at the boundaries of slots, where many locks share a
     * command.
     */
    static final int SLOTS_IN_AN_INTERVAL = 8;

    /**
     * Number of leases for which the release of an id that may have something in the store is repeated. The unit is the
     * longest lease that the id may obtain there. A grant from the waiting line has a lease of twice the shortest
     * interval.
     */
    static final int LEASES_OF_RELEASING = 2;

    /** Nanoseconds in which the store can issue one token: its clock counts tokens in microseconds. */
    private static final long NANOS_FOR_A_TOKEN = 1000;

    /**
     * Divisor of an interval that gives its random part. It is random because many waiters must not ask at the same
     * moment.
     */
    private static final int RANDOM_PART = 5;

    /**
     * Divisor of the lease that gives the time after which a renewal without a reply is late: half of the time until
     * the next one is due.
     */
    private static final int LATE_PART_OF_LEASE = 6;

    /**
     * Divisor of the remaining lease that gives an earlier such time if little of the lease is left, because enough
     * time must remain to repeat the renewal.
     */
    private static final int LATE_PART_OF_REST = 3;

    /**
     * Returns the part of a lease on which its owner may rely. The margin covers clocks that run at different speeds
     * and steps of the clock of the server. It is a tenth of the lease and at least 2 ms, but at most half of the
     * lease, because some time must be left.
     */
    public static long usable(long lease) {
        return lease - Math.min(lease / 2, Math.max(MIN_MARGIN, lease / 10));
    }

    /** Returns the longest pause between a renewal that has failed and the next one. */
    static long maxRenewalPause(long lease) {
        return lease / RETRIES_IN_A_LEASE;
    }

    /** Returns the remaining lease that a grant proved by a message needs for the renewal that follows. */
    static long minLeftOfProof(long lease) {
        return lease / 4;
    }

    /** Returns the remaining lease with which another owner may begin: enough for two renewals. */
    static long minLeftToShare(long lease) {
        return lease / 2;
    }

    /**
     * Returns the number of tokens that may be assigned in memory after a grant and stay below the next token of the
     * store.
     */
    static long tokensIn(long nanosSinceGrant) {
        return usable(nanosSinceGrant) / NANOS_FOR_A_TOKEN;
    }

    /**
     * Returns the time after which the reply to a renewal is late.
     *
     * @param left remaining part of the lease on which the owner may rely
     * @param isConfirmed whether the store has set the full lease; otherwise the first renewal proves the grant and is
     *     more urgent
     */
    static long lateAfter(long lease, long left, boolean isConfirmed) {
        return isConfirmed
                ? Math.min(lease / LATE_PART_OF_LEASE, left / LATE_PART_OF_REST)
                : left / (2 * LATE_PART_OF_REST);
    }

    /** Returns how many callers of this JVM may wait for the lock. */
    public int maxWaiters(LockRequest request) {
        Integer own = request.maxWaiters();
        return own != null ? own : this.maxWaiters;
    }

    /** Returns the maximum random part of an interval. */
    static long maxRandomPart(long interval) {
        return interval / RANDOM_PART;
    }
}
