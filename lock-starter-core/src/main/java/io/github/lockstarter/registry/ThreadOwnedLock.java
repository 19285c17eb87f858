package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock as a {@link java.util.concurrent.locks.Lock}. This view has no state, which is in the thread and in the store.
 */
final class ThreadOwnedLock implements LeaseLock {

    private static final long MAX_WAIT = TimeUnit.DAYS.toNanos(3660);

    private final OwnedLocks locks;

    private final Supplier<StoredLocks> store;

    private final LoggedNames names;

    /** The request, which waits without a limit. */
    private final LockRequest request;

    private final @Nullable LockMode mode;

    /**
     * Creates a lock.
     *
     * @param store supplies the stored locks of a registry, which is started if necessary
     * @param mode READ or WRITE if {@link #isLocked()} and {@link #forceUnlock()} concern only grants of that mode, or
     *     {@code null} if they concern all grants
     */
    ThreadOwnedLock(
            OwnedLocks locks,
            Supplier<StoredLocks> store,
            LoggedNames names,
            LockRequest request,
            @Nullable LockMode mode) {
        this.locks = locks;
        this.store = store;
        this.names = names;
        this.request = request.withWaitTime(LockRequest.FOREVER);
        this.mode = mode;
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
        try {
            this.locks.enter(wanted, false);
        } catch (InterruptedException ex) {
            throw new AssertionError("not interruptible", ex);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        this.locks.enter(this.request, true);
    }

    @Override
    public boolean tryLock() {
        try {
            return this.locks.tryEnter(this.request.withWaitTime(Duration.ZERO), false);
        } catch (InterruptedException ex) {
            throw new AssertionError("not interruptible", ex);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        // A Lock accepts any time, but the wait time of a request is limited.
        long nanos = Math.max(0, Math.min(unit.toNanos(time), MAX_WAIT));
        return tryLock(Duration.ofNanos(nanos));
    }

    @Override
    public boolean tryLock(Duration waitTime) throws InterruptedException {
        return this.locks.tryEnter(this.request.withWaitTime(waitTime), true);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration lease) throws InterruptedException {
        return this.locks.tryEnter(this.request.withWaitTime(waitTime).withLease(lease), true);
    }

    @Override
    public void unlock() {
        this.locks.unlock(this.request);
    }

    private String shownName() {
        return this.names.of(this.request.lockName());
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = this.locks.current(this.request);
        return hold != null && hold.lease.isHeld();
    }

    @Override
    public int getHoldCount() {
        Hold hold = this.locks.current(this.request);
        return hold != null ? hold.count : 0;
    }

    @Override
    public boolean isLocked() {
        return this.store.get().isLocked(this.request.lockName(), this.mode);
    }

    /** Returns whether the owner with that id is one of those that this lock is about. */
    private boolean concerns(String id) {
        return this.mode != LockMode.READ || GrantKind.of(id).mode() == LockMode.READ;
    }

    @Override
    public boolean forceUnlock() {
        return this.store.get().forceRelease(this.request.lockName(), this::concerns);
    }

    @Override
    public boolean forceUnlock(String holder) {
        return this.store.get().forceRelease(this.request.lockName(), holder::equals);
    }

    @Override
    public boolean requestRelease() {
        return this.store.get().requestRelease(this.request.lockName(), this::concerns);
    }

    @Override
    public boolean requestRelease(String holder) {
        return this.store.get().requestRelease(this.request.lockName(), holder::equals);
    }

    @Override
    public Lease currentLease() {
        return this.locks.required(this.request).lease;
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(Printable.of("Lock '" + shownName()
                + "' has no conditions: waiters in other JVMs could not be signalled. Use a queue or a topic that the"
                + " JVMs share."));
    }

    @Override
    public String toString() {
        String suffix = this.mode == LockMode.READ ? ", readers]" : "]";
        return "LeaseLock[" + shownName() + suffix;
    }
}
