package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.Lease;
import io.github.lockstarter.lease.release.LeaseHandles;
import io.github.lockstarter.lease.support.LockThreads;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Starts acquisitions that wait without a thread, and refuses them when the registry stops. */
public final class AsyncAcquirer {

    private final QueueEntrance entrance;

    private final Attempts attempts;

    private final HolderChecks checks;

    private final AcquireReports reports;

    private final AcquireObserver observer;

    private final LeaseHandles handles;

    private final LockThreads threads;

    /** Waits that have not ended yet. */
    private final Set<AsyncWait> pending = ConcurrentHashMap.newKeySet();

    public AsyncAcquirer(
            QueueEntrance entrance,
            Attempts attempts,
            HolderChecks checks,
            AcquireReports reports,
            AcquireObserver observer,
            LeaseHandles handles,
            LockThreads threads) {
        this.entrance = entrance;
        this.attempts = attempts;
        this.checks = checks;
        this.reports = reports;
        this.observer = observer;
        this.handles = handles;
        this.threads = threads;
    }

    /** Begins a wait; the future is completed with the lease, or with the exception that a blocking call would throw. */
    public CompletableFuture<Lease> acquire(Acquisition acquisition) {
        AsyncResult result = new AsyncResult(acquisition, this.observer, this.reports, this.handles, this.threads);
        AsyncWait wait = new AsyncWait(
                acquisition, result, this.entrance, this.attempts, this.checks, this.reports, this.threads);
        this.pending.add(wait);
        return wait.start(() -> this.pending.remove(wait));
    }

    /** Ends all waits with a refusal. */
    public void refuseAll() {
        this.pending.forEach(AsyncWait::refuse);
    }
}
