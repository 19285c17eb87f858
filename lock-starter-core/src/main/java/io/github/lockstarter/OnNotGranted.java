package io.github.lockstarter;

/** Behaviours of an annotated method when its lock is not granted within the wait. */
public enum OnNotGranted {

    /** Throws {@link LockNotGrantedException}. */
    THROW,

    /**
     * Returns without running the method: null, an empty {@code Optional}, {@code Mono} or {@code Flux}, or a future
     * that is complete with null.
     */
    SKIP
}
