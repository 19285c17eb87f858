package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The way to every lock. Thread-safe.
 *
 * <p>Whatever waits has one deadline, for the queue inside this JVM and for the store together, and ends within it plus
 * one command timeout. While the registry is stopped, every acquisition fails with {@link LockException}.
 *
 * <p>Every acquiring method throws {@link LockStoreException} when the store did not answer or refused: a wait is used
 * up first, unless the error is one that waiting cannot mend.
 */
public interface LockRegistry {

    /**
     * A lock that is owned by threads and reentrant. The object is a light view without state of its own; any number
     * of them may stand for the same lock.
     *
     * @param name any text that is not blank; what stands before its first {@code :} is the tag of its meters
     */
    LeaseLock getLock(String name);

    /**
     * Acquires a lease that belongs to no thread: whoever has it may release it, and it is never reentrant.
     *
     * @throws LockNotGrantedException if the wait is over
     * @throws InterruptedException if the thread is interrupted; nothing is left behind in the store
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    Lease acquire(LockRequest request) throws InterruptedException;

    /**
     * As {@link #acquire}, but empty if the wait is over.
     *
     * @throws InterruptedException if the thread is interrupted; nothing is left behind in the store
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException;

    /**
     * As {@link #acquire}, without a thread that waits. Cancelling the stage's future leaves the queue; a grant that
     * arrives after that is given back. Failures are those of {@link #acquire}.
     *
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    CompletionStage<Lease> acquireAsync(LockRequest request);

    /**
     * Acquires, runs and releases; owned by the calling thread and reentrant. If the lease is lost while the body runs,
     * the request's {@link OnLost} decides; an exception of the body always wins.
     *
     * @throws LockNotGrantedException if the wait is over; the body was not run
     * @throws InterruptedException if the thread is interrupted while it waits; the body was not run
     * @throws LockLostException if the lease was lost while the body ran
     * @throws Exception what the body throws
     */
    <T extends @Nullable Object> T execute(LockRequest request, LockedCallback<T> body) throws Exception;
}
