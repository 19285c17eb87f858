package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A distributed {@link Lock}, owned by threads and reentrant: a nested hold costs no I/O unless it asks for more time
 * than is left, and nothing nested ever shortens the lease. Conditions are not supported.
 *
 * <p>Locking again while the hold of this thread is lost throws {@link LockLostException}; unlock it first. When the
 * store does not answer, {@link #lock()} and {@link #lockInterruptibly()} go on trying; the others throw
 * {@link LockStoreException} when their wait is over.
 */
public interface LeaseLock extends Lock {

    /**
     * {@link #lock()} with a fixed lease that is never renewed.
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
     */
    boolean tryLock(Duration waitTime) throws InterruptedException;

    /**
     * Waits up to {@code waitTime} for a fixed lease that is never renewed.
     *
     * @param waitTime zero: try once; {@link LockRequest#FOREVER}: no limit
     * @param lease at least 1 ms; {@code Duration.ofMillis(-1)}: renewed
     */
    boolean tryLock(Duration waitTime, Duration lease) throws InterruptedException;

    /**
     * Ends one hold of this thread; the last one gives the lock back. It always lowers the hold count, cannot be
     * interrupted, and keeps the interrupt flag. If the store does not answer, the release goes on in the background.
     *
     * @throws LockLostException at the outermost hold, if the lease was lost; the thread is then free to lock again
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @Override
    void unlock();

    /** Local belief, no I/O: whether this thread holds the lock and its lease is not lost. */
    boolean isHeldByCurrentThread();

    /** Holds of this thread that are not unlocked yet, lost ones included. No I/O. */
    int getHoldCount();

    /** Asks the store whether anybody holds the lock. The answer may be outdated when it arrives. */
    boolean isLocked();

    /**
     * Takes the lock away from whoever holds it, in any JVM. The holder learns of it at its next renewal.
     *
     * @return whether somebody held it
     */
    boolean forceUnlock();

    /**
     * Lease of the current thread's hold.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    Lease currentLease();
}
