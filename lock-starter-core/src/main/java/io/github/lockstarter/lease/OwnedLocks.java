package io.github.lockstarter.lease;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.acquire.AcquireReports;
import io.github.lockstarter.lease.acquire.Acquisition;
import io.github.lockstarter.lease.acquire.AcquisitionFactory;
import io.github.lockstarter.lease.acquire.BlockingAcquirer;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.release.Downgrade;
import io.github.lockstarter.lease.release.LeaseHandles;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Locks that belong to threads: entering, entering again, leaving. */
final class OwnedLocks {

    private final ThreadHolds holds;

    private final NestedHolds nested;

    private final AcquisitionFactory acquisitions;

    private final BlockingAcquirer acquirer;

    private final AcquireReports reports;

    private final LeaseHandles handles;

    private final Downgrade downgrade;

    private final LoggedNames names;

    OwnedLocks(
            ThreadHolds holds,
            NestedHolds nested,
            AcquisitionFactory acquisitions,
            BlockingAcquirer acquirer,
            AcquireReports reports,
            LeaseHandles handles,
            Downgrade downgrade,
            LoggedNames names) {
        this.holds = holds;
        this.nested = nested;
        this.acquisitions = acquisitions;
        this.acquirer = acquirer;
        this.reports = reports;
        this.handles = handles;
        this.downgrade = downgrade;
        this.names = names;
    }

    /**
     * Enters the lock; throws if it is not granted.
     *
     * @param waitTime null: that of the request, or else of the settings
     * @param shield defers interrupts; null: an interrupt ends the wait
     */
    Hold enter(LockRequest request, @Nullable Duration waitTime, @Nullable InterruptShield shield)
            throws InterruptedException {
        Hold hold = enterAgain(request);
        if (hold != null) {
            return hold;
        }
        Acquisition acquisition = this.acquisitions.begin(request, waitTime, Thread.currentThread());
        Grant grant = this.acquirer.acquire(acquisition, shield);
        if (grant == null) {
            throw this.reports.gaveUp(acquisition);
        }
        return hold(grant);
    }

    /** As {@link #enter}, but returns null if the lock was held by another owner until the end of the wait. */
    @Nullable
    Hold tryEnter(LockRequest request, Duration waitTime, @Nullable InterruptShield shield)
            throws InterruptedException {
        Hold hold = enterAgain(request);
        if (hold != null) {
            return hold;
        }
        Acquisition acquisition = this.acquisitions.begin(request, waitTime, Thread.currentThread());
        Grant grant = this.acquirer.acquire(acquisition, shield);
        if (grant == null) {
            this.reports.gaveUpTrying(acquisition);
            return null;
        }
        return hold(grant);
    }

    private @Nullable Hold enterAgain(LockRequest request) {
        String lockName = request.lockName();
        Hold hold = this.holds.get(lockName, request.mode());
        if (hold != null) {
            requireNoMore(hold, request);
            this.nested.enter(hold, request);
        } else if (request.mode() == LockMode.WRITE && this.holds.get(lockName, LockMode.READ) != null) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName()
                            + "' holds lock '" + this.names.of(lockName)
                            + "' for reading, and cannot acquire it for writing: it would wait for itself. Unlock it first, or"
                            + " acquire it for writing from the beginning."));
        } else if (request.mode() == LockMode.READ) {
            Hold writer = this.holds.get(lockName, LockMode.WRITE);
            if (writer != null) {
                hold = Hold.readerUnder(writer, request);
                this.nested.enter(hold, request);
                this.holds.put(hold);
            }
        }
        return hold;
    }

    private void requireNoMore(Hold hold, LockRequest request) {
        int held = hold.grant().request().weight();
        if (request.weight() > held) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName() + "' holds "
                            + held + " of the permits of semaphore '" + this.names.of(request.lockName())
                            + "', and cannot acquire " + request.weight()
                            + " inside of that: it could wait for itself. Request all of them in the outer call."));
        }
    }

    private Hold hold(Grant grant) {
        Hold hold = new Hold(this.handles.ofThread(grant));
        this.holds.put(hold);
        return hold;
    }

    /**
     * Leaves the innermost hold; the last one releases the grant.
     *
     * @return why the lease was lost; null if it was not
     */
    @Nullable
    LossReason leave(Hold hold) {
        return leave(hold, hold.count());
    }

    /**
     * Leaves one of the holds; the last one releases the grant. A hold inside of it may outlive it, as that of a
     * transaction does.
     *
     * @param number counted from the outermost hold, which is 1
     * @return why the lease was lost; null if it was not
     */
    @Nullable
    LossReason leave(Hold hold, int number) {
        if (hold.count() > 1 || hold.isUnderWriter()) {
            hold.leave(number);
            if (hold.count() == 0) {
                this.holds.remove(hold);
            }
            // Checks the deadline, so that a loss is not reported later than this.
            hold.lease().isHeld();
        } else {
            this.holds.remove(hold);
            Hold reader = hold.mode() == LockMode.WRITE ? this.holds.get(hold.lockName(), LockMode.READ) : null;
            LockRequest request = reader != null ? reader.requestUnderWriter() : null;
            if (reader != null && request != null) {
                reader.downgraded(this.downgrade.of(hold.lease(), request));
            } else {
                hold.lease().release();
            }
        }
        return hold.grant().state().lossReason();
    }

    @Nullable
    Hold current(LockRequest request) {
        return this.holds.get(request.lockName(), request.mode());
    }
}
