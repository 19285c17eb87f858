package io.github.lockstarter.lock;

/**
 * The settings that apply to all locks of an engine. Nanoseconds. Immutable.
 *
 * @param commandTimeout time within which a command is answered or has failed
 * @param poll time after which a waiter asks again, unless the store sets another one
 * @param claim lease with which the store grants a lock to an acquisition from its waiting line; 0: its messages are hints
 * @param passTime time after a grant of the store within which it is passed on in memory, and within which readers join it
 * @param passCount how often a grant is passed on in memory
 * @param needsConfirmation whether only the reply to a command of the acquisition itself proves a grant, because replicas must
 *     confirm it
 */
public record Rules(
        long commandTimeout, long poll, long claim, long passTime, int passCount, boolean needsConfirmation) {

    private static final long LEAST_MARGIN = 2 * Moment.MILLI;

    /**
     * Returns the part of a lease on which its owner relies. The margin is a tenth and at least 2 ms, for clocks that run at different
     * speeds and for steps of the server's clock; half of the shortest leases, so that some time is left.
     */
    public static long usable(long lease) {
        return lease - Math.min(lease / 2, Math.max(LEAST_MARGIN, lease / 10));
    }
}
