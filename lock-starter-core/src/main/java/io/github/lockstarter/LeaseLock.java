package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A distributed {@link Lock}, owned by threads and reentrant: a nested hold costs no I/O unless it asks for more time
 * than is left, and never shortens the lease. Thread-safe. Conditions are not supported: {@link Lock#newCondition} throws
 * {@link UnsupportedOperationException}.
 *
 * <p>Locking again while the hold of this thread is lost throws {@link LockLostException}; unlock it first. If the store
 * does not answer, {@link #lock()} and {@link #lockInterruptibly()} keep trying; the others throw
 * {@link LockStoreException} when their wait is over. While the registry is stopped, all of them throw
 * {@link LockException}.
 */
public interface LeaseLock extends Lock {

    /**
     * Acquires the lock as {@link #lock()} does, with a fixed lease that is never renewed.
     *
     * @param lease at least 1 ms; {@code Duration.ofMillis(-1)}: renewed
     */
    void lock(Duration lease);

    /** {@inheritDoc} One attempt, without waiting: a single command. */
    @Override
    boolean tryLock();

    /** {@inheritDoc} A time of zero or less tries once. */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Waits up to {@code waitTime} for a lease that the watchdog renews.
     *
     * @param waitTime zero: try once; {@link LockRequest#FOREVER}: no limit
     * @return false if another owner held the lock until the end of the wait
     * @throws InterruptedException if the thread is interrupted; nothing is left behind in the store
     */
    boolean tryLock(Duration waitTime) throws InterruptedException;

    /**
     * Waits up to {@code waitTime} for a fixed lease that is never renewed.
     *
     * @param waitTime zero: try once; {@link LockRequest#FOREVER}: no limit
     * @param lease at least 1 ms; {@code Duration.ofMillis(-1)}: renewed
     * @return false if another owner held the lock until the end of the wait
     * @throws InterruptedException if the thread is interrupted; nothing is left behind in the store
     */
    boolean tryLock(Duration waitTime, Duration lease) throws InterruptedException;

    /**
     * Ends one hold of this thread; the last one releases the lock. It always lowers the hold count, cannot be
     * interrupted, and keeps the interrupt flag. If the store does not answer, the release is retried in the background.
     *
     * @throws LockLostException at the outermost hold, if the lease was lost; the thread is then free to lock again
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @Override
    void unlock();

    /** Returns whether this thread holds the lock and its lease is not lost, as far as it is known here. No I/O. */
    boolean isHeldByCurrentThread();

    /** Returns the number of holds of this thread that are not unlocked yet, lost ones included. No I/O. */
    int getHoldCount();

    /**
     * Returns whether the lock is held by any owner, as the store reports. The answer may be outdated when it arrives.
     *
     * @throws LockStoreException if the store does not answer
     */
    boolean isLocked();

    /**
     * Takes the lock away from its owner, in any JVM, and ends a minimum hold. The owner is notified at its next renewal
     * and may work on until then.
     *
     * @return whether the lock was held
     * @throws LockStoreException if the store does not answer
     */
    boolean forceUnlock();

    /**
     * Returns the lease of the current thread's hold.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    Lease currentLease();
}
