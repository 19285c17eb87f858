package io.github.lockstarter.store;

/**
 * Reply of a store to a release.
 *
 * @param outcome what happened to the lock
 * @param fencingToken token of the successor's grant, larger than that of every earlier grant; 0 unless
 *     {@code GRANTED_TO_SUCCESSOR}
 */
public record ReleaseReply(Outcome outcome, long fencingToken) {

    /** Reply with {@link Outcome#RELEASED}. */
    public static final ReleaseReply RELEASED = new ReleaseReply(Outcome.RELEASED, 0);

    /** Reply with {@link Outcome#QUEUED}. */
    public static final ReleaseReply QUEUED = new ReleaseReply(Outcome.QUEUED, 0);

    /** Reply with {@link Outcome#LEFT}. */
    public static final ReleaseReply LEFT = new ReleaseReply(Outcome.LEFT, 0);

    /** Reply with {@link Outcome#GONE}. */
    public static final ReleaseReply GONE = new ReleaseReply(Outcome.GONE, 0);

    /** Reply with {@link Outcome#TAKEN}. */
    public static final ReleaseReply TAKEN = new ReleaseReply(Outcome.TAKEN, 0);

    /** Reply with {@link Outcome#UNPROVEN}. */
    public static final ReleaseReply UNPROVEN = new ReleaseReply(Outcome.UNPROVEN, 0);

    /**
     * Returns a reply with {@link Outcome#GRANTED_TO_SUCCESSOR}; the new lease counts from when the release was sent.
     */
    public static ReleaseReply grantedToSuccessor(long fencingToken) {
        return new ReleaseReply(Outcome.GRANTED_TO_SUCCESSOR, fencingToken);
    }

    /** What happened to the lock. */
    public enum Outcome {
        /** The acquisition owned the lock; it is free now, or was granted to the first in the waiting line. */
        RELEASED,
        /** The acquisition owned the lock; the waiting line was empty, and the successor owns the lock now. */
        GRANTED_TO_SUCCESSOR,
        /** The acquisition owned the lock; the first in the waiting line owns it now, and the successor is its last. */
        QUEUED,
        /** The acquisition did not own the lock but was in the waiting line, and has left it. */
        LEFT,
        /** The lock is free. */
        GONE,
        /** Another acquisition owns the lock. */
        TAKEN,
        /**
         * The acquisition does not own the lock now, but the connection broke during the call: the client may have
         * repeated the command, and its first execution may have released the lock.
         */
        UNPROVEN
    }

    /** Returns whether the acquisition owned the lock until this release. */
    public boolean isReleased() {
        return this.outcome == Outcome.RELEASED
                || this.outcome == Outcome.GRANTED_TO_SUCCESSOR
                || this.outcome == Outcome.QUEUED;
    }
}
