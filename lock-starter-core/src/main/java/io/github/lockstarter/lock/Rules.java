package io.github.lockstarter.lock;

/**
 * The settings that apply to all locks of an engine. Nanoseconds. Immutable.
 *
 * @param commandTimeout time within which a command is answered or has failed
 * @param poll time after which a waiter asks again, unless the store sets another one
 * @param claim lease with which the store grants a lock to an acquisition from its waiting line; 0: its messages are
 *     hints
 * @param handOverTime time after a grant of the store within which it is passed on in memory, and within which readers
 *     join it
 * @param maxHandOvers how often a grant is passed on in memory
 * @param needsConfirmation whether only the reply to a command of the acquisition itself proves a grant, because
 *     replicas must confirm it
 */
public record Rules(
        long commandTimeout, long poll, long claim, long handOverTime, int maxHandOvers, boolean needsConfirmation) {

    private static final long MIN_MARGIN = 2 * Moment.MILLI;

    /** A renewal that fails is repeated at least about ten times until the end of its lease. */
    private static final int RETRIES_IN_A_LEASE = 12;

    /**
     * Renewals are due at the ends of slots, of which an interval has that many: those of many locks share a command.
     */
    static final int SLOTS_IN_AN_INTERVAL = 8;

    /**
     * An id that may have something in the store is released again for that many of the longest lease that it may obtain there. A grant
     * along the waiting line has a lease of twice the shortest interval.
     */
    static final int LEASES_OF_RELEASING = 2;

    /** The store's clock counts tokens in microseconds. */
    private static final long NANOS_FOR_A_TOKEN = 1000;

    /** A part of each interval is random, because many waiters must not ask in the same moment. */
    private static final int RANDOM_PART = 5;

    /** A renewal without a reply is late after that part of its lease: half of the time until the next one is due. */
    private static final int LATE_PART_OF_LEASE = 6;

    /** It is late earlier if less of the lease is left, so that it can be repeated before the end. */
    private static final int LATE_PART_OF_REST = 3;

    /**
     * Returns the part of a lease on which its owner relies. The margin is a tenth and at least 2 ms, for clocks that
     * run at different speeds and for steps of the server's clock; half of the shortest leases, so that some time is
     * left.
     */
    public static long usable(long lease) {
        return lease - Math.min(lease / 2, Math.max(MIN_MARGIN, lease / 10));
    }

    /** Returns the longest pause between a renewal that has failed and the next one. */
    static long maxRenewalPause(long lease) {
        return lease / RETRIES_IN_A_LEASE;
    }

    /** Returns what must be left of a lease that a message proves, for the renewal that follows. */
    static long minLeftOfProof(long lease) {
        return lease / 4;
    }

    /** Returns what must be left of a lease with which a further owner begins: enough for two renewals. */
    static long minLeftToShare(long lease) {
        return lease / 2;
    }

    /** Returns how many tokens may be given away after a grant, so that they stay below the next one of the store. */
    static long tokensIn(long nanosSinceGrant) {
        return usable(nanosSinceGrant) / NANOS_FOR_A_TOKEN;
    }

    /**
     * Returns the time after which the reply to a renewal is late.
     *
     * @param left what is left of the lease on which the owner relies
     * @param isConfirmed whether the store has the full lease; if not, the first renewal proves the grant and is more
     *     urgent
     */
    static long lateAfter(long lease, long left, boolean isConfirmed) {
        return isConfirmed
                ? Math.min(lease / LATE_PART_OF_LEASE, left / LATE_PART_OF_REST)
                : left / (2 * LATE_PART_OF_REST);
    }

    /** Returns the largest part of an interval that is random. */
    static long maxRandomPart(long interval) {
        return interval / RANDOM_PART;
    }
}
