package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks. Thread-safe.
 *
 * <p>A wait has one deadline, for the queue inside this JVM and for the store together, and ends within it plus one command
 * timeout. While the registry is stopped, every acquisition fails with {@link LockException}.
 *
 * <p>Every acquiring method throws {@link LockStoreException} if the store does not answer or refuses: at the end of the
 * wait, or at once if the error is one that waiting cannot resolve.
 */
public interface LockRegistry {

    /**
     * Returns a lock that is owned by threads and reentrant. The object is a light view without state of its own; there may
     * be any number of them for the same lock. No I/O.
     *
     * @param name any text that is not blank, at most 512 bytes in UTF-8; the part before its first {@code :} is the tag of
     *     its meters
     * @throws IllegalArgumentException if the name is blank or too long
     */
    LeaseLock getLock(String name);

    /**
     * Acquires a lease that belongs to no thread: any thread may release it, and it is never reentrant.
     *
     * @param request which lock, for how long, and how long to wait for it
     * @return the lease; release it in any case, or the watchdog renews it until it becomes unreachable
     * @throws LockNotGrantedException if the wait is over
     * @throws InterruptedException if the thread is interrupted; nothing is left behind in the store
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    Lease acquire(LockRequest request) throws InterruptedException;

    /**
     * Acquires a lease as {@link #acquire} does, or returns empty if the wait is over.
     *
     * @param request which lock, for how long, and how long to wait for it
     * @return empty if another owner held the lock until the end of the wait
     * @throws InterruptedException if the thread is interrupted; nothing is left behind in the store
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException;

    /**
     * Acquires a lease as {@link #acquire} does, without a thread that waits. Cancelling the stage's future ends the wait; a
     * grant that arrives after that is released.
     *
     * @param request which lock, for how long, and how long to wait for it
     * @return completed on a thread of the library, with the lease or with an exception of {@link #acquire}
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    CompletionStage<Lease> acquireAsync(LockRequest request);

    /**
     * Acquires the lock, runs the body in the calling thread and releases the lock. The lock is owned by the thread and
     * reentrant. If the lease is lost while the body runs, the {@link OnLost} of the request decides what happens; an
     * exception of the body is thrown in any case, with the loss suppressed in it.
     *
     * <p>The body may throw checked exceptions, which the caller then has to catch or declare; a body that throws none
     * needs neither. The interruption of a wait is reported by an unchecked exception, as it is for annotated methods that
     * do not declare {@link InterruptedException}. Use {@link #acquire} where the checked one is wanted.
     *
     * @param request which lock, for how long, and how long to wait for it
     * @param body the work
     * @param <T> type of the result of the body, which may be null
     * @param <E> type of the checked exceptions of the body
     * @return the result of the body
     * @throws LockNotGrantedException if the wait is over; the body was not run
     * @throws LockInterruptedException if the thread is interrupted while it waits, or was so already and does not hold
     *     the lock; its interrupt flag is set, the body was not run, and nothing is left behind in the store
     * @throws LockLostException if the lease was lost while the body ran, or a nested call finds it lost
     * @throws E what the body throws
     */
    <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body)
            throws E;

    /**
     * Runs a body that has no result, as {@link #execute} does, with the same exceptions.
     *
     * @param request which lock, for how long, and how long to wait for it
     * @param body the work
     * @param <E> type of the checked exceptions of the body
     * @throws E what the body throws
     */
    default <E extends Throwable> void executeWithoutResult(LockRequest request, LockedAction<E> body) throws E {
        this.<Boolean, E>execute(request, lease -> {
            body.run(lease);
            return true;
        });
    }
}
