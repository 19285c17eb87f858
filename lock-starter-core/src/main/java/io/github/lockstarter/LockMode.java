package io.github.lockstarter;

/** What a grant of a lock allows beside it. */
public enum LockMode {
    /** Alone: no other grant of the lock exists at the same time. The default, and the plain lock of that name. */
    WRITE,
    /** Together with other readers, but not with a writer. */
    READ,
    /**
     * Together with others as long as all of them hold no more than a number of permits, as of a semaphore. Requested
     * by {@link LockRequest#withPermits} or {@link DistributedSemaphore}.
     */
    PERMIT
}
