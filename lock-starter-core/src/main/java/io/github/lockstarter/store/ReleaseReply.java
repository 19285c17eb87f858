package io.github.lockstarter.store;

/** What a store answers to a release. */
public enum ReleaseReply {
    /** The acquisition owned the lock; it is free now. */
    RELEASED,
    /** Nobody owns the lock. */
    GONE,
    /** Another acquisition owns the lock. */
    TAKEN
}
