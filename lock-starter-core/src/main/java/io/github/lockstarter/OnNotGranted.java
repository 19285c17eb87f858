package io.github.lockstarter;

/** What an annotated method does when its lock is not granted within the wait. */
public enum OnNotGranted {

    /** Throws {@link LockNotGrantedException}. */
    THROW,

    /**
     * Returns null, or the empty value of the return type: of an {@code Optional}, a {@code Mono} or {@code Flux}; for a
     * future, one that is complete with null. The method is not run.
     */
    SKIP
}
