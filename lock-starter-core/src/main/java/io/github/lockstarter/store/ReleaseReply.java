package io.github.lockstarter.store;

/**
 * What a store answers to a release.
 *
 * @param outcome what became of the lock
 * @param fencingToken the successor's, larger than that of every grant before it; 0 unless {@code KEPT}
 */
public record ReleaseReply(Outcome outcome, long fencingToken) {

    public static final ReleaseReply RELEASED = new ReleaseReply(Outcome.RELEASED, 0);

    public static final ReleaseReply QUEUED = new ReleaseReply(Outcome.QUEUED, 0);

    public static final ReleaseReply LEFT = new ReleaseReply(Outcome.LEFT, 0);

    public static final ReleaseReply GONE = new ReleaseReply(Outcome.GONE, 0);

    public static final ReleaseReply TAKEN = new ReleaseReply(Outcome.TAKEN, 0);

    public static final ReleaseReply UNPROVEN = new ReleaseReply(Outcome.UNPROVEN, 0);

    /** The successor owns the lock now; its lease counts from the moment the release was sent. */
    public static ReleaseReply grantedToSuccessor(long fencingToken) {
        return new ReleaseReply(Outcome.GRANTED_TO_SUCCESSOR, fencingToken);
    }

    /** What became of the lock. */
    public enum Outcome {
        /** The acquisition owned it; it is free now, or went to the first in the waiting line. */
        RELEASED,
        /** The acquisition owned it; nobody stood in line, and the successor owns it now. */
        GRANTED_TO_SUCCESSOR,
        /** The acquisition owned it; the first in the waiting line owns it now, and the successor stands at its end. */
        QUEUED,
        /** The acquisition did not own it but stood in the waiting line, which it has left. */
        LEFT,
        /** Nobody owns it. */
        GONE,
        /** Another acquisition owns it. */
        TAKEN,
        /**
         * The acquisition does not own it now, but the connection broke during the call: the client may have repeated
         * it, and its first execution may have released.
         */
        UNPROVEN
    }

    /** Whether the acquisition owned the lock until this release. */
    public boolean isReleased() {
        return this.outcome == Outcome.RELEASED
                || this.outcome == Outcome.GRANTED_TO_SUCCESSOR
                || this.outcome == Outcome.QUEUED;
    }
}
