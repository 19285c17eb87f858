package io.github.lockstarter.integration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Adapts a lock, and reports losses as the registries of Spring Integration do. Stateless and thread-safe. */
class IntegrationLock implements Lock {

    private final LeaseLock lock;

    IntegrationLock(LeaseLock lock) {
        this.lock = lock;
    }

    @Override
    public void lock() {
        this.lock.lock();
    }

    /** Acquires the lock with a fixed lease. */
    public void lock(Duration ttl) {
        this.lock.lock(ttl);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        this.lock.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return this.lock.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return this.lock.tryLock(time, unit);
    }

    /** Acquires the lock with a fixed lease, if it is granted within the wait time. */
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        // As for any other Lock, a negative time means no wait, whereas LeaseLock waits without limit for -1 ms.
        return this.lock.tryLock(waitTime.isNegative() ? Duration.ZERO : waitTime, ttl);
    }

    @Override
    public void unlock() {
        try {
            this.lock.unlock();
        } catch (LockLostException ex) {
            ConcurrentModificationException loss = new ConcurrentModificationException(ex.getMessage());
            loss.initCause(ex);
            throw loss;
        }
    }

    /**
     * Extends a fixed lease to one timeout of the watchdog from now; has no effect on a lease that the watchdog renews.
     */
    @SuppressWarnings("LockNotBeforeTry") // the nested hold itself extends the lease
    void renew() {
        requireHeld();
        try {
            this.lock.lock();
            this.lock.unlock();
        } catch (LockLostException ex) {
            throw notRenewed(ex);
        }
    }

    /** Extends the lease to at least this time from now. */
    void renew(Duration ttl) {
        Lease lease = requireHeld();
        try {
            lease.extend(ttl);
        } catch (LockLostException ex) {
            throw notRenewed(ex);
        }
    }

    private Lease requireHeld() {
        return this.lock.currentLease();
    }

    private static IllegalStateException notRenewed(LockLostException cause) {
        return new IllegalStateException(Printable.of("Could not renew a lock. " + cause.getMessage()), cause);
    }

    @Override
    public Condition newCondition() {
        return this.lock.newCondition();
    }

    @Override
    public String toString() {
        return "Integration" + this.lock;
    }
}
