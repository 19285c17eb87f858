package io.github.lockstarter.lease;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.acquire.AcquireReports;
import io.github.lockstarter.lease.acquire.Acquisition;
import io.github.lockstarter.lease.acquire.AcquisitionFactory;
import io.github.lockstarter.lease.acquire.BlockingAcquirer;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.release.LeaseHandles;
import io.github.lockstarter.lease.support.InterruptShield;
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

    OwnedLocks(
            ThreadHolds holds,
            NestedHolds nested,
            AcquisitionFactory acquisitions,
            BlockingAcquirer acquirer,
            AcquireReports reports,
            LeaseHandles handles) {
        this.holds = holds;
        this.nested = nested;
        this.acquisitions = acquisitions;
        this.acquirer = acquirer;
        this.reports = reports;
        this.handles = handles;
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
        Hold hold = this.holds.get(request.lockName());
        if (hold != null) {
            this.nested.enter(hold, request);
        }
        return hold;
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
        if (hold.count() > 1) {
            hold.leave(number);
            // Checks the deadline, so that a loss is not reported later than this.
            hold.lease().isHeld();
        } else {
            this.holds.remove(hold);
            hold.lease().release();
        }
        return hold.grant().state().lossReason();
    }

    @Nullable
    Hold current(String lockName) {
        return this.holds.get(lockName);
    }
}
