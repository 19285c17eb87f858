package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A lock as a {@link java.util.concurrent.locks.Lock}. Has no state of its own: that is in the thread and in the store. */
final class ThreadOwnedLock implements LeaseLock {

    private static final long LONGEST_WAIT = TimeUnit.DAYS.toNanos(3660);

    private final Supplier<OwnedLocks> locks;

    private final Supplier<LockStore> store;

    private final LoggedNames names;

    private final LockRequest request;

    private final View view;

    /** Whose grants {@link #isLocked()} and {@link #forceUnlock()} are about. */
    enum View {
        /** All of them. */
        PLAIN,
        WRITER,
        READERS
    }

    /**
     * Creates a lock.
     *
     * @param locks those of the present run of the registry
     * @param store started if necessary
     */
    ThreadOwnedLock(
            Supplier<OwnedLocks> locks, Supplier<LockStore> store, LoggedNames names, LockRequest request, View view) {
        this.locks = locks;
        this.store = store;
        this.names = names;
        this.request = request;
        this.view = view;
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
            this.locks.get().enter(wanted, LockRequest.FOREVER, shield);
        } catch (InterruptedException ex) {
            throw new AssertionError("shielded from interrupts", ex);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        this.locks.get().enter(this.request, LockRequest.FOREVER, null);
    }

    @Override
    public boolean tryLock() {
        try (InterruptShield shield = new InterruptShield()) {
            return this.locks.get().tryEnter(this.request, Duration.ZERO, shield) != null;
        } catch (InterruptedException ex) {
            throw new AssertionError("shielded from interrupts", ex);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        // A Lock takes any time, but a request is limited.
        long nanos = Math.max(0, Math.min(unit.toNanos(time), LONGEST_WAIT));
        return tryLock(Duration.ofNanos(nanos));
    }

    @Override
    public boolean tryLock(Duration waitTime) throws InterruptedException {
        return this.locks.get().tryEnter(this.request, validWait(waitTime), null) != null;
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration lease) throws InterruptedException {
        return this.locks.get().tryEnter(this.request.withLease(lease), validWait(waitTime), null) != null;
    }

    /** Rejects what a request would reject. */
    private Duration validWait(Duration waitTime) {
        this.request.withWaitTime(waitTime);
        return waitTime;
    }

    @Override
    public void unlock() {
        OwnedLocks locks = this.locks.get();
        Hold hold = required(locks.current(this.request));
        boolean outermost = hold.count() == 1;
        LossReason lost = locks.leave(hold);
        if (outermost && lost != null) {
            throw hold.lease().exception(lost);
        }
    }

    private Hold required(@Nullable Hold hold) {
        if (hold == null) {
            throw new IllegalMonitorStateException(Printable.of("Lock '" + shownName()
                    + "' is not held by thread '" + Thread.currentThread().getName()
                    + "': it is not locked, already unlocked, or locked by another thread, which must unlock it itself. A"
                    + " Lease of LockRegistry.acquire can be released by any thread."));
        }
        return hold;
    }

    private String shownName() {
        return this.names.of(this.request.lockName());
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = this.locks.get().current(this.request);
        return hold != null && hold.lease().isHeld();
    }

    @Override
    public int getHoldCount() {
        Hold hold = this.locks.get().current(this.request);
        return hold != null ? hold.count() : 0;
    }

    @Override
    public boolean isLocked() {
        LockStore locks = this.store.get();
        // A plain lock has no readers, and the question whether it is locked is one command less.
        if (this.view == View.PLAIN) {
            return locks.isLocked(this.request.lockName());
        }
        StoredLock found = locks.find(this.request.lockName());
        return found != null && found.holders().isEmpty() == (this.view == View.WRITER);
    }

    @Override
    public boolean forceUnlock() {
        LockStore locks = this.store.get();
        return this.view == View.READERS
                ? locks.forceReleaseReaders(this.request.lockName())
                : locks.forceRelease(this.request.lockName());
    }

    @Override
    public Lease currentLease() {
        return required(this.locks.get().current(this.request)).lease();
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(Printable.of("Lock '" + shownName()
                + "' has no conditions: waiters in other JVMs could not be signalled. Use a queue or a topic that the"
                + " JVMs share."));
    }

    @Override
    public String toString() {
        String suffix = this.view == View.READERS ? ", readers]" : "]";
        return "LeaseLock[" + shownName() + suffix;
    }
}
