package io.github.lockstarter.store;

/**
 * Reply of a store to a release.
 *
 * @param outcome what happened to the lock
 * @param fencingToken {@code GRANTED_TO_SUCCESSOR}: token of the successor's grant, larger than that of every earlier
 *     grant; {@code QUEUED}: token of the present owner, 0 if it is unknown; otherwise 0
 */
public record ReleaseReply(Outcome outcome, long fencingToken) {

    /** Reply with {@link Outcome#RELEASED}. */
    public static final ReleaseReply RELEASED = new ReleaseReply(Outcome.RELEASED, 0);

    /** Reply with {@link Outcome#GRANTED_UNCONFIRMED}. */
    public static final ReleaseReply GRANTED_UNCONFIRMED = new ReleaseReply(Outcome.GRANTED_UNCONFIRMED, 0);

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

    /** Returns a reply with {@link Outcome#QUEUED}; a grant to the successor has a larger token than the owner's. */
    public static ReleaseReply queued(long ownerToken) {
        return new ReleaseReply(Outcome.QUEUED, ownerToken);
    }

    /** What happened to the lock. */
    public enum Outcome {
        /** The acquisition owned the lock; it is free now, or was granted to the first in the waiting line. */
        RELEASED,
        /** The acquisition owned the lock; the waiting line was empty, and the successor owns the lock now. */
        GRANTED_TO_SUCCESSOR,
        /** As {@code GRANTED_TO_SUCCESSOR}, but the successor must acquire the lock before it may rely on the grant. */
        GRANTED_UNCONFIRMED,
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
                || this.outcome == Outcome.GRANTED_UNCONFIRMED
                || this.outcome == Outcome.QUEUED;
    }

    /** Returns this reply for a store whose grants are believed only after their confirmation by an acquire. */
    public ReleaseReply unconfirmed() {
        return this.outcome == Outcome.GRANTED_TO_SUCCESSOR ? GRANTED_UNCONFIRMED : this;
    }
}
