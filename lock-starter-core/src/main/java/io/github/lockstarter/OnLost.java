package io.github.lockstarter;

/** What happens to a body whose lease is lost while it runs. Listeners, events and meters hear of it in any case. */
public enum OnLost {

    /** What is configured as {@code distributed-lock.on-lost}; {@link #THROW} unless that says otherwise. */
    DEFAULT,

    /**
     * {@link LockLostException} after the body has returned. If the body threw, its exception goes on and ours is
     * suppressed in it.
     */
    THROW,

    /**
     * As {@link #THROW}, and the thread of the body is interrupted at the moment of the loss: never after the body has
     * ended, and an interrupt of ours that the body did not consume is cleared.
     */
    INTERRUPT,

    /** The body's result stands. */
    IGNORE
}
