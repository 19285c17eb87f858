package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.acquire.AcquireReports;
import io.github.lockstarter.lease.acquire.Acquisition;
import io.github.lockstarter.lease.acquire.AcquisitionFactory;
import io.github.lockstarter.lease.acquire.AsyncAcquirer;
import io.github.lockstarter.lease.acquire.BlockingAcquirer;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.release.LeaseHandles;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Leases that belong to no thread: any thread may release them, and they are not reentrant. */
final class UnownedLeases {

    private final ThreadHolds holds;

    private final AcquisitionFactory acquisitions;

    private final BlockingAcquirer blocking;

    private final AsyncAcquirer asynchronous;

    private final AcquireReports reports;

    private final LeaseHandles handles;

    private final LoggedNames names;

    UnownedLeases(
            ThreadHolds holds,
            AcquisitionFactory acquisitions,
            BlockingAcquirer blocking,
            AsyncAcquirer asynchronous,
            AcquireReports reports,
            LeaseHandles handles,
            LoggedNames names) {
        this.holds = holds;
        this.acquisitions = acquisitions;
        this.blocking = blocking;
        this.asynchronous = asynchronous;
        this.reports = reports;
        this.handles = handles;
        this.names = names;
    }

    /** Acquires a lease; throws if it is not granted. */
    Lease acquire(LockRequest request) throws InterruptedException {
        Acquisition acquisition = begin(request);
        Grant grant = this.blocking.acquire(acquisition, null);
        if (grant == null) {
            throw this.reports.gaveUp(acquisition);
        }
        return this.handles.withoutThread(grant);
    }

    /** As {@link #acquire}, but returns null if the lock was held by another owner until the end of the wait. */
    @Nullable
    Lease tryAcquire(LockRequest request) throws InterruptedException {
        Acquisition acquisition = begin(request);
        Grant grant = this.blocking.acquire(acquisition, null);
        if (grant == null) {
            this.reports.gaveUpTrying(acquisition);
            return null;
        }
        return this.handles.withoutThread(grant);
    }

    CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return this.asynchronous.acquire(begin(request));
    }

    private Acquisition begin(LockRequest request) {
        // Readers as well: behind a writer that waits for this thread, another one would wait for itself.
        if (request.mode() != LockMode.PERMIT
                && (this.holds.get(request.lockName(), LockMode.WRITE) != null
                        || this.holds.get(request.lockName(), LockMode.READ) != null)) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName() + "' already holds lock '"
                            + this.names.of(request.lockName())
                            + "', and a lease that belongs to no thread is not reentrant: it would wait for itself."
                            + " Use getLock or execute for a nested hold."));
        }
        return this.acquisitions.begin(request, null, null);
    }
}
