package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A distributed {@link Lock} that is owned by threads and reentrant: a nested hold causes no I/O unless it requires
 * more time than remains, and never shortens the lease. Thread-safe. Conditions are not supported: {@link
 * Lock#newCondition} throws {@link UnsupportedOperationException}.
 *
 * <p>Locking again while the hold of this thread is lost throws {@link LockLostException}; unlock it first. If the
 * store does not answer, {@link #lock()} and {@link #lockInterruptibly()} retry without limit, and the other methods
 * throw {@link LockStoreException} at the end of their wait. While the registry is stopped, all of them throw {@link
 * LockException}.
 */
public interface LeaseLock extends Lock {

    /**
     * Acquires the lock as {@link #lock()} does, with a fixed lease that is never renewed.
     *
     * @param lease the fixed lease, at least 1 ms; with {@code Duration.ofMillis(-1)}, the watchdog renews the lease
     */
    void lock(Duration lease);

    /** {@inheritDoc} Makes one attempt with a single command, without waiting. */
    @Override
    boolean tryLock();

    /** {@inheritDoc} With a time of zero or less, makes one attempt. */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Acquires the lock with a lease that the watchdog renews, unless {@code distributed-lock.locks.<name>.lease} sets
     * a fixed one, and waits up to {@code waitTime}.
     *
     * @param waitTime the longest wait; zero makes one attempt, {@link LockRequest#FOREVER} waits without limit
     * @return false if another owner held the lock until the end of the wait, or too many callers of this instance wait
     * @throws InterruptedException if the thread is interrupted; nothing of the request remains in the store
     */
    boolean tryLock(Duration waitTime) throws InterruptedException;

    /**
     * Acquires the lock with a fixed lease that is never renewed, and waits up to {@code waitTime}.
     *
     * @param waitTime the longest wait; zero makes one attempt, {@link LockRequest#FOREVER} waits without limit
     * @param lease the fixed lease, at least 1 ms; with {@code Duration.ofMillis(-1)}, the watchdog renews the lease
     * @return false if another owner held the lock until the end of the wait, or too many callers of this instance wait
     * @throws InterruptedException if the thread is interrupted; nothing of the request remains in the store
     */
    boolean tryLock(Duration waitTime, Duration lease) throws InterruptedException;

    /**
     * Ends one hold of this thread; the last one releases the lock. Always decrements the hold count, cannot be
     * interrupted, and preserves the interrupt flag. If the store does not answer, the release is retried in the
     * background.
     *
     * @throws LockLostException at the outermost hold, if the lease was lost; the thread is then free to lock again
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @Override
    void unlock();

    /** Returns whether this thread holds the lock and its lease is not lost, according to local knowledge. No I/O. */
    boolean isHeldByCurrentThread();

    /** Returns the number of holds of this thread, including lost ones that are not unlocked. No I/O. */
    int getHoldCount();

    /**
     * Returns whether any owner holds the lock, as the store reports. The result may be outdated on return.
     *
     * @throws LockStoreException if the store does not answer
     */
    boolean isLocked();

    /**
     * Releases the lock on behalf of its owners in any JVM, and ends a minimum hold. Each owner is sent a message,
     * checks its lease in the store, and detects the loss with {@link LossReason#REVOKED}; until then it may continue
     * its work. If the message is lost, or if {@code distributed-lock.redis.messages} is {@code polling}, so that none
     * is sent, the owner of a renewed lease detects the loss at its next renewal, and the owner of a fixed lease at
     * its release.
     *
     * @return true if the lock was held
     * @throws LockStoreException if the store does not answer
     */
    boolean forceUnlock();

    /**
     * Releases one grant as {@link #forceUnlock()} does, for example the permits of one of several holders.
     *
     * @param holder the id of the grant, see {@link LockInventory.StoredGrant#id()}
     * @return true if the store had the grant
     * @throws LockStoreException if the store does not answer
     */
    boolean forceUnlock(String holder);

    /**
     * Asks the owners of the lock in any JVM to release it, as {@link LockRegistry#requestRelease} does. A read lock
     * asks only its readers.
     *
     * @return true if there is an owner and it was sent a message
     * @throws LockStoreException if the store does not answer, or no message can be sent
     */
    boolean requestRelease();

    /**
     * Asks one owner to release its grant.
     *
     * @param holder the id of the grant, see {@link LockInventory.StoredGrant#id()}
     * @return true if the store has the grant, and its owner was sent a message
     * @throws LockStoreException if the store does not answer, or no message can be sent
     */
    boolean requestRelease(String holder);

    /**
     * Returns the lease of the current thread's hold.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    Lease currentLease();
}
