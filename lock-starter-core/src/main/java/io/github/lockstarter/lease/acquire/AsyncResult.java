package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.lease.acquire.AcquireObserver.Acquiring;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.release.LeaseHandle;
import io.github.lockstarter.lease.release.LeaseHandles;
import io.github.lockstarter.lease.support.LockThreads;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The future of one asynchronous acquisition. Its dependent stages are user code, so it is completed on threads of their
 * own: a grant on one of a limited number, because stages often keep the thread for as long as they hold the lock, and a
 * failure on one that other stages cannot occupy.
 */
final class AsyncResult {

    private final Acquisition acquisition;

    private final Acquiring observed;

    private final AcquireReports reports;

    private final LeaseHandles handles;

    private final LockThreads threads;

    private final CompletableFuture<Lease> future = new CompletableFuture<>();

    /** The failure that is reported once the queue and the line have been left. */
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    private volatile boolean granted;

    AsyncResult(
            Acquisition acquisition,
            AcquireObserver observer,
            AcquireReports reports,
            LeaseHandles handles,
            LockThreads threads) {
        this.acquisition = acquisition;
        this.observed = Objects.requireNonNull(observer.began(acquisition.request(), reports.instance()));
        this.reports = reports;
        this.handles = handles;
        this.threads = threads;
    }

    CompletableFuture<Lease> future() {
        return this.future;
    }

    /** Completes the future with the lease; releases it at once if the future was completed otherwise before. */
    void granted(Grant grant) {
        // Before the future is completed: its dependent stages may run at once, and take long.
        this.observed.granted(grant.fencingToken());
        this.granted = true;
        LeaseHandle lease = this.handles.withoutThread(grant);
        CompletableFuture<?> unused = this.future.whenComplete((delivered, failed) -> {
            if (delivered != lease) {
                CompletionStage<?> unusedToo = this.handles.giveBack(grant);
            }
        });
        this.threads.completeGrant(() -> this.future.complete(lease));
    }

    /**
     * Reports the failure at the end of the wait, or that a grant could not be delivered.
     *
     * @return false if the grant is on its way to a thread
     */
    boolean deliverAtLast() {
        if (this.failure.get() == null && !this.future.isDone()) {
            // Without a failure the wait was ended by a grant, which is noted a moment later.
            if (!this.granted || !this.threads.areGrantsDelayed()) {
                return false;
            }
            this.failure.set(this.reports.undelivered(this.acquisition, LockThreads.GRANT_STAGES));
        }
        deliverFailure();
        return true;
    }

    /** Notes the failure; called once. */
    void failed(RuntimeException why) {
        this.failure.set(why);
        if (why instanceof LockNotGrantedException refusal) {
            this.observed.notGranted(Outcome.TIMEOUT, null, refusal.holder());
        } else {
            this.observed.notGranted(Outcome.ERROR, why, null);
        }
    }

    /** Completes the future with the failure that was noted, if there is one. */
    void deliverFailure() {
        RuntimeException why = this.failure.getAndSet(null);
        if (why != null) {
            this.threads.complete(() -> this.future.completeExceptionally(why));
        }
    }

    /** Reports that the caller has cancelled or completed the future. */
    void abandoned() {
        this.reports.report(this.acquisition, Outcome.INTERRUPTED, null);
        this.observed.notGranted(Outcome.INTERRUPTED, null, null);
    }
}
