package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** The view of a lock as a {@link java.util.concurrent.locks.Lock}; all state is the thread's and the store's. */
final class ThreadOwnedLock implements LeaseLock {

    private static final long LONGEST_WAIT = TimeUnit.DAYS.toNanos(3660);

    private final LeasingLockRegistry registry;

    private final LockRequest request;

    ThreadOwnedLock(LeasingLockRegistry registry, LockRequest request) {
        this.registry = registry;
        this.request = request;
    }

    private OwnedLocks locks() {
        return this.registry.engine().owned();
    }

    @Override
    public void lock() {
        lock(this.request);
    }

    @Override
    public void lock(Duration lease) {
        lock(this.request.withLease(lease));
    }

    private void lock(LockRequest wanted) {
        try (InterruptShield shield = new InterruptShield()) {
            locks().enter(wanted, LockRequest.FOREVER, shield);
        } catch (InterruptedException ex) {
            throw new AssertionError("shielded from interrupts", ex);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        locks().enter(this.request, LockRequest.FOREVER, null);
    }

    @Override
    public boolean tryLock() {
        try (InterruptShield shield = new InterruptShield()) {
            return locks().tryEnter(this.request, Duration.ZERO, shield) != null;
        } catch (InterruptedException ex) {
            throw new AssertionError("shielded from interrupts", ex);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        // A Lock takes any time; what is longer than a request may ask for is as good as for ever.
        long nanos = Math.max(0, Math.min(unit.toNanos(time), LONGEST_WAIT));
        return tryLock(Duration.ofNanos(nanos));
    }

    @Override
    public boolean tryLock(Duration waitTime) throws InterruptedException {
        return locks().tryEnter(this.request, validWait(waitTime), null) != null;
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration lease) throws InterruptedException {
        return locks().tryEnter(this.request.withLease(lease), validWait(waitTime), null) != null;
    }

    /** Refuses what a request would refuse. */
    private Duration validWait(Duration waitTime) {
        this.request.withWaitTime(waitTime);
        return waitTime;
    }

    @Override
    public void unlock() {
        OwnedLocks locks = locks();
        Hold hold = required(locks.current(this.request.lockName()));
        boolean outermost = hold.count() == 1;
        LossReason lost = locks.leave(hold);
        if (outermost && lost != null) {
            throw LossDescription.of(this.registry.names(), hold.grant(), lost);
        }
    }

    private Hold required(@Nullable Hold hold) {
        if (hold == null) {
            throw new IllegalMonitorStateException(Printable.of("Lock '" + shownName()
                    + "' is not held by thread '" + Thread.currentThread().getName()
                    + "': not locked, unlocked already,"
                    + " or locked by another thread, which alone can unlock it. A Lease of LockRegistry.acquire can be"
                    + " released by any."));
        }
        return hold;
    }

    private String shownName() {
        return this.registry.names().of(this.request.lockName());
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = locks().current(this.request.lockName());
        return hold != null && hold.lease().isHeld();
    }

    @Override
    public int getHoldCount() {
        Hold hold = locks().current(this.request.lockName());
        return hold != null ? hold.count() : 0;
    }

    @Override
    public boolean isLocked() {
        return this.registry.engine().store().isLocked(this.request.lockName());
    }

    @Override
    public boolean forceUnlock() {
        return this.registry.engine().store().forceRelease(this.request.lockName());
    }

    @Override
    public Lease currentLease() {
        return required(locks().current(this.request.lockName())).lease();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(Printable.of("Lock '" + shownName()
                + "' has no conditions: those who wait for one in another JVM could not be signalled. Use what the JVMs"
                + " share, such as a queue or a topic."));
    }

    @Override
    public String toString() {
        return "LeaseLock[" + shownName() + ']';
    }
}
