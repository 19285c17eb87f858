package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.lease.AcquireObserver.Acquiring;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The future of one asynchronous acquisition. Its dependent stages are user code, so it is completed on threads of their
 * own: a grant on one of a limited number, because stages often keep it for as long as they hold the lock, and a failure
 * on one that other stages cannot occupy.
 */
final class AsyncResult {

    private final LockEngine engine;

    private final Acquisition acquisition;

    private final @Nullable Acquiring observed;

    private final CompletableFuture<Lease> future = new CompletableFuture<>();

    /** The failure that is reported once the queue and the line have been left. */
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    private volatile boolean granted;

    AsyncResult(LockEngine engine, Acquisition acquisition) {
        this.engine = engine;
        this.acquisition = acquisition;
        AcquireObserver observer = engine.observer();
        this.observed = observer != null ? observer.began(acquisition.request()) : null;
    }

    CompletableFuture<Lease> future() {
        return this.future;
    }

    /** Completes the future with the lease; if it is completed otherwise before, the lease is given back at once. */
    void granted(Grant grant) {
        if (this.observed != null) {
            // Before the future is completed: its dependent stages may run at once, and take long.
            this.observed.granted(grant.fencingToken());
        }
        this.granted = true;
        LeaseHandle lease = this.engine.unownedLease(grant);
        CompletableFuture<?> unused = this.future.whenComplete((delivered, failed) -> {
            if (delivered != lease) {
                CompletionStage<?> unusedToo = this.engine.releaser().giveBack(grant);
            }
        });
        this.engine.threads().completeGrant(() -> this.future.complete(lease));
    }

    /**
     * The time is up: reports the failure, or that a grant could not be delivered.
     *
     * @return false if the grant is still on its way to a thread
     */
    boolean deliverAtLast() {
        if (this.failure.get() == null && !this.future.isDone()) {
            // Without a failure the wait was ended by a grant, which is noted a moment later.
            if (!this.granted || !this.engine.threads().areGrantsDelayed()) {
                return false;
            }
            this.failure.set(this.acquisition.notGranted(
                    "Lock '" + this.engine.names().of(this.acquisition.request().lockName())
                            + "' was granted, but its future could not be completed within the wait: all "
                            + LockThreads.GRANT_STAGES
                            + " threads for that are blocked by dependent stages of other grants. Use"
                            + " an executor of your own for stages that block (thenApplyAsync(function, executor))."));
        }
        deliverFailure();
        return true;
    }

    /** Notes the failure; called once. */
    void failed(RuntimeException why) {
        this.failure.set(why);
        if (this.observed != null) {
            boolean refused = why instanceof LockNotGrantedException;
            this.observed.notGranted(refused ? Outcome.TIMEOUT : Outcome.ERROR, refused ? null : why);
        }
    }

    /** Completes the future with the failure that was noted, if there is one. */
    void deliverFailure() {
        RuntimeException why = this.failure.getAndSet(null);
        if (why != null) {
            this.engine.threads().complete(() -> this.future.completeExceptionally(why));
        }
    }

    /** The caller has cancelled or completed the future. */
    void abandoned() {
        this.acquisition.tell(Outcome.INTERRUPTED, null);
        if (this.observed != null) {
            this.observed.notGranted(Outcome.INTERRUPTED, null);
        }
    }
}
