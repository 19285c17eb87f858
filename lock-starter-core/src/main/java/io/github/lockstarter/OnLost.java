package io.github.lockstarter;

/** What happens to a body whose lease is lost while it runs. Listeners, events and meters report the loss in any case. */
public enum OnLost {

    /**
     * Uses the value of {@code distributed-lock.on-lost}, by default {@link #THROW}. For annotations and requests; the
     * property itself cannot have this value.
     */
    DEFAULT,

    /**
     * Throws {@link LockLostException} after the body has returned. If the body threw, its exception is thrown, with the
     * loss suppressed in it.
     */
    THROW,

    /**
     * Does the same as {@link #THROW}, and interrupts the thread of the body at the moment of the loss: never after the
     * body has ended. An interrupt for this reason that the body did not consume is cleared.
     */
    INTERRUPT,

    /** Returns the result of the body, or throws its exception, as without a loss. */
    IGNORE
}
