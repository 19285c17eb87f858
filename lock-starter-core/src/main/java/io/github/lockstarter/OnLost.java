package io.github.lockstarter;

/** Behaviours when a lease is lost while the work under it runs. Listeners, events and meters report every loss. */
public enum OnLost {

    /**
     * Uses the value of {@code distributed-lock.on-lost}, by default {@link #THROW}. For annotations and requests; the
     * property itself cannot have this value.
     */
    DEFAULT,

    /**
     * Throws {@link LockLostException} after the body has returned. If the body threw, its exception is thrown, with
     * the loss suppressed in it.
     */
    THROW,

    /**
     * Throws as {@link #THROW} does, and interrupts the thread of the body at the moment of the loss, but never after
     * the body has ended. If the body does not consume this interrupt, it is cleared.
     */
    INTERRUPT,

    /** Returns the result of the body, or throws its exception, as without a loss. */
    IGNORE
}
