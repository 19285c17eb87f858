package io.github.lockstarter;

/** What an annotated method does when its lock is not granted within the wait. */
public enum OnNotGranted {

    /** {@link LockNotGrantedException}. */
    THROW,

    /** The method is not run and returns null or its empty value. */
    SKIP
}
