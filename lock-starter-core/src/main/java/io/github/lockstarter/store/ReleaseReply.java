package io.github.lockstarter.store;

/** What a store answers to a release. */
public enum ReleaseReply {
    /** The acquisition owned the lock; it is free now. */
    RELEASED,
    /** Nobody owns the lock. */
    GONE,
    /** Another acquisition owns the lock. */
    TAKEN,
    /**
     * The acquisition does not own the lock now, but the connection broke during the call: the client may have repeated
     * it, and its first execution may have released.
     */
    UNPROVEN
}
