package io.github.lockstarter;

/** Mode of a lock: which other grants may exist at the same time. */
public enum LockMode {
    /**
     * Exclusive: no other grant of the lock exists at the same time. This is the default, and the mode of the plain
     * lock.
     */
    WRITE,
    /** Shared: other readers may hold the lock at the same time, but no writer. */
    READ,
    /**
     * Permits of a semaphore: others may hold permits at the same time as long as all of them together hold no more
     * than the limit. Requested by {@link LockRequest#withPermits} or {@link DistributedSemaphore}.
     */
    PERMIT
}
