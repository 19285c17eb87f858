package io.github.lockstarter.integration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock of ours that tells a loss as other registries of Spring Integration do. No state of its own. */
final class IntegrationLock implements DistributedLock {

    private final LeaseLock lock;

    IntegrationLock(LeaseLock lock) {
        this.lock = lock;
    }

    @Override
    public void lock() {
        this.lock.lock();
    }

    @Override
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

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        // As of any other Lock, a time below zero is none, while one of our own of -1 ms is for ever.
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

    /** Sees to it that the lease lasts for one timeout of the watchdog, as one that the watchdog renews does anyway. */
    @SuppressWarnings("LockNotBeforeTry") // it is the nested hold that asks for more time, not what is done under it
    void renew() {
        requireHeld();
        try {
            this.lock.lock();
            this.lock.unlock();
        } catch (LockLostException ex) {
            throw notRenewed(ex);
        }
    }

    /** Sees to it that the lease lasts at least that long from now. */
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
