package io.github.lockstarter.registry;

import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.ThreadWait;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Waiter;
import io.github.lockstarter.registry.Attempts.Attempt;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Locks that belong to threads: enters them, enters them again, leaves them, and runs code under them. Reentrancy is
 * implemented only in this class and {@link Hold}, without the store. Holds outlive a restart of the registry, because
 * a thread must be able to unlock what it held before.
 */
final class OwnedLocks {

    @SuppressWarnings("ThreadLocalUsage") // a registry is a singleton; what a thread holds belongs to it alone
    private final ThreadLocal<@Nullable ThreadHolds> holds = new ThreadLocal<>();

    private final Supplier<Run> run;

    private final LoggedNames names;

    private final OnLost defaultReaction;

    /** The fence that is notified of exclusive grants, or {@code null} if there is none. */
    @Nullable
    volatile GrantFence fence;

    /**
     * Creates the locks of a registry.
     *
     * @param run supplies the present run
     * @param defaultReaction reaction to losses under requests that do not specify one
     */
    OwnedLocks(Supplier<Run> run, LoggedNames names, OnLost defaultReaction) {
        this.run = run;
        this.names = names;
        this.defaultReaction = defaultReaction;
    }

    // ---- Entering

    /** Enters the lock. Throws an exception if it is not granted. */
    Hold enter(LockRequest request, boolean interruptible) throws InterruptedException {
        return Objects.requireNonNull(enter(request, interruptible, true, null));
    }

    /**
     * Enters the lock as {@link #enter} does.
     *
     * @return {@code false} if another owner held the lock until the end of the wait
     */
    boolean tryEnter(LockRequest request, boolean interruptible) throws InterruptedException {
        return enter(request, interruptible, false, null) != null;
    }

    private @Nullable Hold enter(
            LockRequest request, boolean interruptible, boolean mustSucceed, @Nullable Attempt attempt)
            throws InterruptedException {
        ThreadHolds mine = this.holds.get();
        if (mine == null) {
            mine = attempt != null ? (ThreadHolds) attempt.owner : new ThreadHolds();
        } else {
            Hold unused = mine.takeLost(request);
            removeIfEmpty(mine);
            Hold again = enterAgain(mine, request);
            if (again != null) {
                return again;
            }
        }
        GrantFence present = this.fence;
        long start = present != null ? System.nanoTime() : 0;
        Run current = this.run.get();
        ThreadWait wait = current.acquisitions.threadWait(request, mine, interruptible);
        Hold hold;
        try {
            Grant grant = current.acquisitions.acquire(wait, mustSucceed, attempt);
            if (grant == null) {
                return null;
            }
            hold = new Hold(request, current.leases.ofThread(grant), 1);
            this.holds.set(mine);
            mine.put(hold);
        } catch (Throwable ex) {
            // Without a hold, the thread could not release the grant.
            current.acquisitions.failed(wait);
            throw ex;
        }
        if (present != null && request.mode() == LockMode.WRITE) {
            try {
                present.granted(
                        hold.lease,
                        request,
                        wait.waitTime == Waiter.FOREVER ? Long.MAX_VALUE : wait.waitTime - (System.nanoTime() - start));
            } catch (Throwable ex) {
                LossReason unused = leave(hold, hold.count);
                throw ex;
            }
        }
        return hold;
    }

    /**
     * Sends attempts for locks together, and waits for their outcomes. A lock that this thread holds, or that is
     * requested twice, needs no command, so the attempts end before it.
     *
     * @return {@code null} if fewer than two locks need a command, or the locks must be acquired one after the other
     */
    @Nullable
    Attempts attempt(List<LockRequest> requests) throws InterruptedException {
        ThreadHolds mine = this.holds.get();
        int count = 0;
        while (count < requests.size()
                && !(mine != null && mine.holds(requests.get(count)))
                && !(count > 0 && isSame(requests.get(count - 1), requests.get(count)))) {
            count++;
        }
        if (count < 2) {
            return null;
        }
        Owner owner = mine != null ? mine : new ThreadHolds();
        return this.run.get().acquisitions.attempt(requests.subList(0, count), owner);
    }

    private static boolean isSame(LockRequest one, LockRequest other) {
        return one.lockName().equals(other.lockName())
                && (one.mode() == LockMode.PERMIT) == (other.mode() == LockMode.PERMIT);
    }

    private @Nullable Hold enterAgain(ThreadHolds mine, LockRequest request) {
        String lockName = request.lockName();
        Hold hold = mine.get(request);
        if (hold != null) {
            requireNoMore(hold, request);
            hold.enter(request);
        } else if (request.mode() == LockMode.WRITE && mine.get(lockName, LockMode.READ) != null) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName()
                            + "' holds lock '" + this.names.of(lockName)
                            + "' for reading, and cannot acquire it for writing: it would wait for itself. Unlock it first, or"
                            + " acquire it for writing from the beginning."));
        } else if (request.mode() == LockMode.READ) {
            Hold writer = mine.get(lockName, LockMode.WRITE);
            if (writer != null) {
                hold = Hold.readerUnder(writer, request);
                hold.enter(request);
                mine.put(hold);
            }
        }
        return hold;
    }

    private void requireNoMore(Hold hold, LockRequest request) {
        int held = hold.lease.grant.request.weight();
        if (request.weight() > held) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName() + "' holds "
                            + held + " of the permits of semaphore '" + this.names.of(request.lockName())
                            + "', and cannot acquire " + request.weight()
                            + " inside that: it could wait for itself. Request all of them in the outer call."));
        }
    }

    /**
     * Throws an exception if this thread holds the lock, because a lease that belongs to no thread is not reentrant.
     */
    void requireNotHeld(LockRequest request) {
        ThreadHolds mine = this.holds.get();
        // Readers are rejected too: a second reader would queue behind a writer that waits for this thread.
        if (mine != null && request.mode() != LockMode.PERMIT && mine.holds(request)) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName() + "' already holds lock '"
                            + this.names.of(request.lockName())
                            + "', and a lease that belongs to no thread is not reentrant: it would wait for itself."
                            + " Use getLock or execute for a nested hold."));
        }
    }

    // ---- Leaving

    /**
     * Ends the innermost hold of this thread.
     *
     * @throws IllegalMonitorStateException if the thread has no hold of the lock
     * @throws LockLostException if this was the last hold and the lease is lost, or if the hold was lost with the hold
     *     of a writer
     */
    void unlock(LockRequest request) {
        ThreadHolds mine = this.holds.get();
        Hold hold = mine != null ? mine.get(request) : null;
        if (mine != null && hold == null) {
            Hold lost = mine.takeLost(request);
            removeIfEmpty(mine);
            LossReason reason = lost != null ? LockEvents.lossReason(lost.lease.grant) : null;
            if (lost != null && reason != null) {
                throw lost.lease.exception(reason);
            }
        }
        hold = required(hold, request);
        boolean isOutermost = hold.count == 1;
        LossReason reason;
        try {
            reason = leave(hold, hold.count);
        } catch (Throwable ex) {
            hold.abandon();
            throw ex;
        }
        if (isOutermost && reason != null) {
            throw hold.lease.exception(reason);
        }
    }

    private Hold required(@Nullable Hold hold, LockRequest request) {
        if (hold == null) {
            throw new IllegalMonitorStateException(Printable.of("Lock '" + this.names.of(request.lockName())
                    + "' is not held by thread '" + Thread.currentThread().getName()
                    + "': it is not locked, already unlocked, or locked by another thread, which must unlock it itself. A"
                    + " Lease of LockRegistry.acquire can be released by any thread."));
        }
        return hold;
    }

    /**
     * Ends one of the holds. The last one releases the grant. A hold that is nested in it may outlive it, such as the
     * hold of a transaction.
     *
     * @param number number of the hold, counted from the outermost, which is 1
     * @return why the lease was lost, or {@code null} if it was not lost
     */
    private @Nullable LossReason leave(Hold hold, int number) {
        // The thread may have no holds, or others, if the hold was lost together with the hold of a writer.
        ThreadHolds mine = this.holds.get();
        LeaseHandle lease = hold.lease;
        boolean isUnderWriter = hold.underWriter != null;
        if (mine == null || hold.count > 1 || isUnderWriter) {
            // This call detects a deadline that has passed, so the loss is reported now and not later. It precedes the
            // end of the hold, after which nothing may fail, because abandon() would end another hold.
            boolean unused = lease.isHeld();
            LossReason reason = LockEvents.lossReason(lease.grant);
            hold.leave(number);
            if (mine != null && hold.count == 0) {
                mine.remove(hold);
                removeIfEmpty(mine);
            }
            return reason;
        }
        Hold reader = hold.mode == LockMode.WRITE ? mine.get(hold.lockName, LockMode.READ) : null;
        hold.count = 0;
        mine.remove(hold);
        GrantFence present = this.fence;
        if (present != null) {
            present.ended(lease);
        }
        try {
            if (reader != null) {
                return downgrade(mine, lease, reader);
            }
            lease.release();
            return LockEvents.lossReason(lease.grant);
        } finally {
            removeIfEmpty(mine);
        }
    }

    /** Removes the holds of this thread if there are none, because a thread of a pool must not keep objects. */
    private void removeIfEmpty(ThreadHolds mine) {
        if (mine.isEmpty()) {
            this.holds.remove();
        }
    }

    /**
     * Continues with the hold of a reader. In between, no other writer can be granted the lock. If the lease is lost,
     * the hold of the reader ends together with the hold of the writer, because the thread must be able to lock again.
     *
     * @return why the lease was lost, or {@code null} if it was not lost
     */
    private static @Nullable LossReason downgrade(ThreadHolds mine, LeaseHandle writer, Hold reader) {
        LeaseHandle.Operations operations = writer.operations;
        LockRequest request = Objects.requireNonNull(reader.underWriter);
        ThreadWait wait = new ThreadWait(request, 0, operations.terms().of(request), mine, false);
        // The reader holds the lock again when it has a separate grant, which an error may prevent.
        mine.removeLost(reader);
        Grant grant = operations.engine().downgrade(writer.grant, wait);
        if (grant == null) {
            return LockEvents.lossReason(writer.grant);
        }
        reader.downgraded(operations.ofThread(grant));
        LossReason reason = LockEvents.lossReason(grant);
        if (reason == null) {
            Hold unused = mine.takeLost(request);
            mine.put(reader);
        } else {
            boolean unused = operations.engine().release(grant);
        }
        return reason;
    }

    // ---- Holds of this thread

    @Nullable
    Hold current(LockRequest request) {
        ThreadHolds mine = this.holds.get();
        return mine != null ? mine.get(request) : null;
    }

    /**
     * Returns the hold of this thread.
     *
     * @throws IllegalMonitorStateException if the thread does not hold the lock
     */
    Hold required(LockRequest request) {
        return required(current(request), request);
    }

    // ---- Running code

    /**
     * Acquires a lock, runs code under it, releases it, and reports a lease that was lost before the end of the code.
     *
     * @param attempt an attempt that this call has made before, or {@code null} if there is none
     */
    <T extends @Nullable Object, E extends Throwable> T execute(
            LockRequest request, @Nullable Attempt attempt, LockedCallback<T, E> body) throws E {
        OnLost onLost = request.onLost() == OnLost.DEFAULT ? this.defaultReaction : request.onLost();
        Hold hold;
        try {
            hold = Objects.requireNonNull(enter(request, true, true, attempt));
        } catch (InterruptedException ex) {
            throw interrupted(this.names.of(request.lockName()), ex);
        }
        int number = hold.count;
        boolean isLeft = false;
        try {
            BodyInterrupt interrupt = onLost == OnLost.INTERRUPT ? new BodyInterrupt(hold.lease) : null;
            T result;
            try {
                result = body.run(hold.lease);
            } catch (Throwable ex) {
                LockLostException loss = end(hold, number, interrupt, onLost);
                isLeft = true;
                // The exception of the body takes precedence, and may itself report this loss.
                if (loss != null && !LockSequence.isReportOf(loss, ex)) {
                    ex.addSuppressed(loss);
                }
                throw ex;
            }
            LockLostException loss = end(hold, number, interrupt, onLost);
            isLeft = true;
            if (loss != null) {
                throw loss;
            }
            return result;
        } finally {
            if (!isLeft) {
                hold.abandon();
            }
        }
    }

    /** Sets the interrupt flag of this thread, and returns the exception for a body that was not run. */
    static LockInterruptedException interrupted(String shownName, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException(
                "Interrupted while waiting for lock '" + shownName + "'; the body was not run.", cause);
    }

    private @Nullable LockLostException end(Hold hold, int number, @Nullable BodyInterrupt interrupt, OnLost onLost) {
        if (interrupt != null) {
            interrupt.end();
        }
        LossReason reason = leave(hold, number);
        return reason != null && onLost != OnLost.IGNORE ? hold.lease.exception(reason) : null;
    }

    /**
     * Interrupts the thread of a body when its lease is lost. The interrupt and the end of the body exclude each other,
     * so the interrupt cannot affect what the thread does afterwards.
     */
    private static final class BodyInterrupt implements LockEvents.Hook {

        private final Thread thread = Thread.currentThread();

        private final ReentrantLock mutex = new ReentrantLock();

        private final LeaseHandle lease;

        private boolean ended;

        private boolean wasCalled;

        private boolean interrupted;

        BodyInterrupt(LeaseHandle lease) {
            this.lease = lease;
            lease.operations.events().add(lease.grant, this);
        }

        @Override
        public void lost(LossReason reason) {
            this.mutex.lock();
            try {
                if (!this.ended && !this.wasCalled) {
                    this.wasCalled = true;
                    // An interrupt from another source must not be cleared later.
                    this.interrupted |= !this.thread.isInterrupted();
                    this.thread.interrupt();
                }
            } finally {
                this.mutex.unlock();
            }
        }

        /**
         * Ends the body, and clears an interrupt of this object that the body has not consumed. Called by the thread of
         * the body.
         */
        void end() {
            this.lease.operations.events().forget(this.lease.grant, this);
            this.mutex.lock();
            try {
                this.ended = true;
                if (this.interrupted) {
                    Thread.interrupted();
                }
            } finally {
                this.mutex.unlock();
            }
        }
    }
}
