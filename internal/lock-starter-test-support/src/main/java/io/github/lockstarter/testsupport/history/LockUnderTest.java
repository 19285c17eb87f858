package io.github.lockstarter.testsupport.history;

import java.time.Duration;
import java.util.Optional;

/** A library of locks in a worker process. Used by several threads. */
public interface LockUnderTest extends AutoCloseable {

    /**
     * Tries to acquire a lock.
     *
     * @return the lock, or empty if another owner has it
     * @throws InterruptedException if the wait was interrupted
     * @throws java.util.concurrent.CancellationException if the wait was cancelled
     * @throws LockFailureException if the library could not acquire it
     */
    Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException;

    /** As {@link #tryAcquire}, but cancels the wait after the given time, if the library can do that. */
    default Optional<HeldLock> tryAcquireOrCancel(AcquireRequest request, Duration patience)
            throws InterruptedException {
        return tryAcquire(request);
    }

    /** Returns whether a lock is renewed until it is released, so that it may be held for longer than its lease. */
    default boolean isRenewing() {
        return true;
    }

    /** Is called several times a second, to discard what the library has recorded for tests. */
    default void forgetEvents() {}

    @Override
    void close();
}
