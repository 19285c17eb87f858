package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks. Thread-safe.
 *
 * <p>A wait has one deadline for the queue inside this JVM and for the store together, and ends at most one command
 * timeout after it. While the registry is stopped, every acquisition fails with {@link LockException}.
 *
 * <p>Every acquiring method throws {@link LockStoreException} if the store does not answer or rejects the command: at
 * the end of the wait, or immediately if waiting cannot resolve the error.
 */
public interface LockRegistry {

    /**
     * Returns a lock that is owned by threads and reentrant. The object is a lightweight view without state; any number
     * of them may exist for the same lock. No I/O.
     *
     * @param name any text that is not blank, at most 512 bytes in UTF-8; the part before its first {@code :} is the
     *     tag of its meters
     * @throws IllegalArgumentException if the name is blank or too long
     */
    default LeaseLock getLock(String name) {
        LockRequest request = LockRequest.of(name);
        return getLock(request.name(), request.key());
    }

    /**
     * Returns the lock of one key under a static name, as {@link #getLock(String)} does for a whole name. Meters, and
     * settings by name, use the static name.
     *
     * @param name as for {@link LockRequest#of(String, String)}
     * @param key the key; empty: the static name is the name of the lock
     * @throws IllegalArgumentException if the name is blank, or both together are too long
     */
    LeaseLock getLock(String name, String key);

    /**
     * Returns a lock for several readers or one writer. Its write lock is the lock that {@link #getLock} returns. The
     * object is a lightweight view without state. No I/O.
     *
     * @param name as for {@link #getLock}
     * @throws IllegalArgumentException if the name is blank or too long
     */
    default LeaseReadWriteLock getReadWriteLock(String name) {
        LockRequest request = LockRequest.of(name);
        return getReadWriteLock(request.name(), request.key());
    }

    /**
     * Returns the lock for readers and a writer of one key under a static name.
     *
     * @param name as for {@link #getLock(String, String)}
     * @param key as for {@link #getLock(String, String)}
     * @throws IllegalArgumentException if the name is blank, or both together are too long
     */
    LeaseReadWriteLock getReadWriteLock(String name, String key);

    /**
     * Asks all present holders of a lock, in any JVM, to release it: writers, readers and holders of permits. Changes
     * nothing in the store, and gives the holders no deadline. Their leases report the request, see {@link
     * Lease#isReleaseRequested()}; {@link LeaseLock#forceUnlock()} does not ask.
     *
     * <p>The request is one message to each instance. Nothing shows whether it was received: an instance listens once it
     * has held locks for about two seconds, or has waited for one. A repeated request has no further effect on a lease.
     *
     * @param name the full name of the lock
     * @return true if there is a holder and it was sent a message; false if the lock is free, or is kept by a minimum
     *     hold alone
     * @throws LockStoreException if the store does not answer, or this instance sends no messages to others because of
     *     {@code distributed-lock.redis.messages} or its permissions
     * @throws IllegalArgumentException if the name is blank or too long
     */
    default boolean requestRelease(String name) {
        return getLock(name).requestRelease();
    }

    /**
     * Returns a semaphore. The object is a lightweight view without state. No I/O.
     *
     * @param name as for {@link #getLock}; it must not be used as a lock as well
     * @param permits number of permits that all holders may have together, at least 1
     * @throws IllegalArgumentException if the name is blank or too long, or the number is out of range
     */
    default LeaseSemaphore getSemaphore(String name, int permits) {
        LockRequest request = LockRequest.of(name);
        return getSemaphore(request.name(), request.key(), permits);
    }

    /**
     * Returns the semaphore of one key under a static name.
     *
     * @param name as for {@link #getLock(String, String)}; it must not be used as a lock as well
     * @param key as for {@link #getLock(String, String)}
     * @param permits as for {@link #getSemaphore(String, int)}
     * @throws IllegalArgumentException if the name is blank, both together are too long, or the number is out of range
     */
    LeaseSemaphore getSemaphore(String name, String key, int permits);

    /**
     * Returns the lock or the permits of a request as a lock that is owned by threads and reentrant: the lock of {@link
     * #getLock}, one of the locks of {@link #getReadWriteLock}, or the permits, where a nested hold takes no additional
     * permits. It shares its holds with {@link #execute(LockRequest, LockedCallback)}. Only the name and the mode of
     * the request, with weight and limit, have an effect. No I/O.
     *
     * <p>Annotated methods use it to keep a lock until the end of a transaction. A registry that delegates to another
     * one should delegate this method as well.
     *
     * @throws UnsupportedOperationException if the request is for permits, and the registry does not implement this
     *     method
     */
    default LeaseLock getOwnedLock(LockRequest request) {
        return switch (request.mode()) {
            case WRITE -> getLock(request.name(), request.key());
            case READ -> getReadWriteLock(request.name(), request.key()).readLock();
            case PERMIT ->
                throw new UnsupportedOperationException(Printable.of(getClass().getName()
                        + " does not implement LockRegistry.getOwnedLock, which is required for permits that a thread or"
                        + " a transaction owns. Delegate it to the registry that grants the permits."));
        };
    }

    /**
     * Acquires a lease that no thread owns: any thread may release it, and it is not reentrant.
     *
     * @param request the lock, its lease and the wait
     * @return the lease; the caller must release it, or the watchdog renews it until it becomes unreachable
     * @throws LockNotGrantedException if the lock is not granted within the wait
     * @throws InterruptedException if the thread is interrupted; nothing of the request remains in the store
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    Lease acquire(LockRequest request) throws InterruptedException;

    /**
     * Acquires a lease as {@link #acquire} does, or returns empty if the lock is not granted within the wait.
     *
     * @param request the lock, its lease and the wait
     * @return empty if another owner held the lock until the end of the wait, or {@link LockRequest#maxWaiters} callers
     *     of this instance wait for it
     * @throws InterruptedException if the thread is interrupted; nothing of the request remains in the store
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException;

    /**
     * Acquires a lease as {@link #acquire} does, without blocking a thread. Cancelling the future of the stage ends the
     * wait; a grant that arrives later is released. {@link LockRequest#withReleaseAfterTransaction} has no effect,
     * because the grant arrives in another thread.
     *
     * @param request the lock, its lease and the wait
     * @return a stage that is completed on a thread of the library with the lease or an exception of {@link #acquire}
     * @throws IllegalStateException if the calling thread holds this lock already
     */
    CompletionStage<Lease> acquireAsync(LockRequest request);

    /**
     * Acquires the lock, runs the body in the calling thread and releases the lock. The lock is owned by the thread and
     * reentrant. If the lease is lost while the body runs, the {@link OnLost} of the request decides what happens; an
     * exception of the body is thrown in any case, with the loss suppressed in it.
     *
     * <p>This method throws the checked exceptions of the body. The interruption of a wait is reported by an
     * unchecked exception, as for annotated methods that do not declare {@link InterruptedException}; {@link #acquire}
     * throws the checked one.
     *
     * @param request the lock, its lease and the wait
     * @param body the work
     * @param <T> type of the result of the body, which may be null
     * @param <E> type of the checked exceptions of the body
     * @return the result of the body
     * @throws LockNotGrantedException if the lock is not granted within the wait; the body was not run
     * @throws LockInterruptedException if the thread is interrupted before or while it waits, and does not already hold
     *     the lock; its interrupt flag is set, the body was not run, and nothing of the request remains in the store
     * @throws LockLostException if the lease was lost while the body ran, or a nested call finds it lost
     * @throws E the exception of the body
     */
    <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body)
            throws E;

    /**
     * Acquires several locks, all or none, runs the body and releases them, as {@link #execute(LockRequest,
     * LockedCallback)} does for one. They are acquired in the order of annotated methods with several keys, whatever
     * the order of the requests: permits first, then locks by their names. While a call waits for a lock, it holds only
     * locks that precede it in this order. Two calls therefore cannot deadlock. Locks that are free are acquired
     * together, in one round trip. All locks have one deadline: waiting for one of them counts towards the wait times
     * of the others. Minimum holds begin when all are granted.
     *
     * <p>A name is locked once. Of several requests for it, a writer's has precedence over a reader's, and the one for
     * the most permits over others; otherwise the first request applies.
     *
     * @param requests the locks, at least one and at most 256 of different names
     * @param body the work; its argument is the lease of the lock that was acquired last
     * @param <T> type of the result of the body, which may be null
     * @param <E> type of the checked exceptions of the body
     * @return the result of the body
     * @throws LockNotGrantedException if one of them is not granted within its wait; the others were released
     * @throws LockLostException if a lease was lost while the call waited for the others, or while the body ran
     * @throws IllegalArgumentException if there is no request, or too many
     * @throws E the exception of the body
     */
    <T extends @Nullable Object, E extends Throwable> T execute(
            Collection<LockRequest> requests, LockedCallback<T, E> body) throws E;

    /**
     * Runs a body that has no result, as {@link #execute(LockRequest, LockedCallback)} does, with the same exceptions.
     *
     * @param request the lock, its lease and the wait
     * @param body the work
     * @param <E> type of the checked exceptions of the body
     * @throws E the exception of the body
     */
    default <E extends Throwable> void executeWithoutResult(LockRequest request, LockedAction<E> body) throws E {
        this.<Boolean, E>execute(request, lease -> {
            body.run(lease);
            return true;
        });
    }

    /**
     * Runs a body that has no result under several locks, as {@link #execute(Collection, LockedCallback)} does.
     *
     * @param requests the locks
     * @param body the work
     * @param <E> type of the checked exceptions of the body
     * @throws E the exception of the body
     */
    default <E extends Throwable> void executeWithoutResult(Collection<LockRequest> requests, LockedAction<E> body)
            throws E {
        this.<Boolean, E>execute(requests, lease -> {
            body.run(lease);
            return true;
        });
    }
}
