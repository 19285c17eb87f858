package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import io.github.lockstarter.tx.UnlockWarning;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The view that a user has of a grant. A handle of a lease that belongs to no thread is watched for becoming
 * unreachable without a release. Therefore no object of the library may refer to it.
 */
final class LeaseHandle implements Lease {

    private static final LockLog logger = LockLog.of(LeaseHandle.class);

    private static final long DROPPED_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    @SuppressWarnings("rawtypes") // there is no class literal of a parameterized type
    private static final AtomicReferenceFieldUpdater<LeaseHandle, CompletableFuture> LOST =
            AtomicReferenceFieldUpdater.newUpdater(LeaseHandle.class, CompletableFuture.class, "lost");

    /**
     * The objects that all handles of a run share, which keeps handles small.
     *
     * @param inBackground whether a release returns before the store has replied
     * @param warning logs releases in transactions, or {@code null} if they are not logged
     * @param dropped queue of unreachable handles; a {@code Cleaner} is not used, because the system may refuse its
     *     thread
     */
    record Operations(
            Engine engine,
            LockEvents events,
            RunThreads threads,
            LeaseTerms terms,
            boolean inBackground,
            @Nullable UnlockWarning warning,
            ReferenceQueue<LeaseHandle> dropped) {

        /** Creates a handle for a grant of a thread. The thread is watched instead of the handle. */
        LeaseHandle ofThread(Grant grant) {
            return new LeaseHandle(this, grant);
        }

        /**
         * Creates a handle for a grant that belongs to no thread. The handle is watched for becoming unreachable
         * without a release.
         */
        LeaseHandle withoutThread(Grant grant) {
            LeaseHandle handle = new LeaseHandle(this, grant);
            grant.owner = new Watch(handle, this.dropped);
            return handle;
        }

        /** Starts to check for unreachable handles once a second, until the threads are stopped. */
        void start() {
            try {
                for (Object each = this.dropped.poll(); each != null; each = this.dropped.poll()) {
                    abandon(((Watch) each).grant);
                }
            } finally {
                boolean unused = this.threads.later(this::start, DROPPED_INTERVAL);
            }
        }

        /**
         * Ends the renewals of a lease that can no longer be released. Its key stays, because the work may still be
         * running.
         */
        private void abandon(Grant grant) {
            if (grant.isLive()) {
                this.events.leaseDropped(grant);
                this.engine.change(grant, (lock, now) -> lock.abandon(grant, now));
            }
        }
    }

    /**
     * Refers to a handle without keeping it reachable. The grant refers to this object, so it is reachable itself for
     * as long as the engine has the grant, and needs no clean-up.
     */
    private static final class Watch extends PhantomReference<LeaseHandle> implements Owner {

        private final Grant grant;

        Watch(LeaseHandle handle, ReferenceQueue<LeaseHandle> dropped) {
            super(handle, dropped);
            this.grant = handle.grant;
        }

        @Override
        public boolean isAlive() {
            return true;
        }
    }

    final Operations operations;

    final Grant grant;

    private volatile @Nullable CompletableFuture<LossReason> lost;

    private LeaseHandle(Operations operations, Grant grant) {
        this.operations = operations;
        this.grant = grant;
    }

    private Engine engine() {
        return this.operations.engine();
    }

    /** Creates the exception for the owner of this lease after a loss. */
    LockLostException exception(LossReason reason) {
        return this.operations.events().exception(this.grant, reason);
    }

    @Override
    public String name() {
        return this.grant.request.lockName();
    }

    private String shownName() {
        return this.operations.events().shownName(this.grant);
    }

    @Override
    public long fencingToken() {
        return this.grant.token;
    }

    @Override
    public State state() {
        // This call detects a deadline that has passed.
        boolean unused = isHeld();
        return stateOf(this.grant);
    }

    /** Returns the state of a grant as users see it. */
    static State stateOf(Grant grant) {
        // A switch has a table in a separate class, whose initialization fails for ever on a full heap.
        Grant.State state = grant.state;
        return state == Grant.State.HELD
                ? State.HELD
                : state == Grant.State.AT_RISK
                        ? State.AT_RISK
                        : state == Grant.State.LOST ? State.LOST : State.RELEASED;
    }

    @Override
    public boolean isHeld() {
        return engine().remaining(this.grant) > 0;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(engine().remaining(this.grant));
    }

    @Override
    public void ensureHeld() {
        if (!isHeld()) {
            LossReason reason = LockEvents.lossReason(this.grant);
            if (reason != null) {
                throw exception(reason);
            }
            throw new IllegalStateException(Printable.of("The lease of lock '" + shownName() + "' was released."));
        }
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        ensureHeld();
        Duration remaining = remaining();
        if (remaining.compareTo(atLeast) < 0 && !engine().isConfirmed(this.grant)) {
            LockStoreException failure = engine().lengthen(this.grant, this.grant.terms.lease());
            if (failure != null) {
                // The remaining time decides.
                logger.debug("The lease of lock '" + shownName() + "' is not confirmed yet.", failure);
            }
            remaining = remaining();
        }
        if (remaining.compareTo(atLeast) < 0) {
            throw this.operations.events().tooShort(this.grant, remaining, atLeast);
        }
    }

    @Override
    public CompletionStage<LossReason> lost() {
        CompletableFuture<LossReason> future = this.lost;
        if (future == null) {
            CompletableFuture<LossReason> created = new CompletableFuture<>();
            if (!LOST.compareAndSet(this, null, created)) {
                return lost();
            }
            RunThreads threads = this.operations.threads();
            this.operations.events().add(this.grant, reason -> threads.complete(() -> created.complete(reason)));
            future = created;
        }
        return future.minimalCompletionStage();
    }

    @Override
    public boolean isReleaseRequested() {
        return this.grant.isReleaseRequested();
    }

    @Override
    public CompletionStage<@Nullable Void> releaseRequested() {
        return this.operations.events().whenReleaseRequested(this.grant).minimalCompletionStage();
    }

    @Override
    public void extend(Duration atLeast) {
        if (LockRequest.FOREVER.equals(atLeast)) {
            throw new IllegalArgumentException(Printable.of("Lock '" + shownName()
                    + "' cannot be extended without a limit: request a renewed lease when you acquire the lock."));
        }
        // The request rejects invalid durations.
        long lease = this.operations
                .terms()
                .of(this.grant.request.withLease(atLeast))
                .lease();
        ensureHeld();
        lengthen(lease);
        // Another thread may have released the lease during the call. In that case it was not extended, regardless of
        // the reply of the store.
        ensureHeld();
    }

    /**
     * Requests a lease of at least the given nanoseconds from now, and waits for the reply of the store.
     *
     * @throws LockLostException if the lock is lost
     * @throws LockStoreException if there was no usable reply; the lease is then unchanged
     */
    void lengthen(long lease) {
        LockStoreException failure = engine().lengthen(this.grant, lease);
        LossReason reason = LockEvents.lossReason(this.grant);
        if (reason != null) {
            throw exception(reason);
        }
        if (failure != null) {
            throw new LockStoreException(
                    "The lease of lock '" + shownName() + "' could not be extended; it is unchanged. "
                            + failure.getMessage(),
                    failure,
                    failure.isOutcomeUnknown(),
                    failure.isTransient());
        }
    }

    @Override
    public boolean release() {
        return release(0);
    }

    @Override
    public boolean releaseAfter(Duration delay) {
        return release(nanos(delay));
    }

    private boolean release(long keep) {
        UnlockWarning warning = this.operations.warning();
        if (warning != null) {
            warning.beforeRelease(this.grant.request);
        }
        release(keep, this.operations.inBackground() ? () -> {} : null);
        return this.grant.state != Grant.State.LOST;
    }

    @Override
    public CompletionStage<Boolean> releaseAsync(Duration delay) {
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        // The reply arrives on a thread that must not be blocked, and dependent stages are user code.
        RunThreads threads = this.operations.threads();
        Grant mine = this.grant;
        Runnable complete = () -> threads.complete(() -> released.complete(mine.state != Grant.State.LOST));
        if (this.operations.inBackground()) {
            release(nanos(delay), () -> {});
            complete.run();
        } else {
            release(nanos(delay), complete);
        }
        return released;
    }

    /**
     * Releases the lease, and keeps the lock taken for the given time.
     *
     * @param keep nanoseconds, or 0 if the lock becomes free immediately
     * @param whenOver called when the release is over, or {@code null} if this method waits for the reply of the store
     */
    private void release(long keep, @Nullable Runnable whenOver) {
        try {
            if (keep > 0) {
                engine().change(this.grant, (lock, now) -> lock.keep(this.grant, keep, now));
            }
            if (whenOver != null) {
                engine().releaseLater(this.grant, whenOver);
            } else {
                boolean unused = engine().release(this.grant);
            }
        } finally {
            // The handle must stay reachable until here, even if a compiler keeps its fields in registers.
            Reference.reachabilityFence(this);
        }
    }

    /** Converts the delay to nanoseconds. The request rejects invalid durations. */
    private long nanos(Duration delay) {
        return this.grant.request.withMinHold(delay).minHold().toNanos();
    }

    @Override
    public String toString() {
        return "Lease[" + shownName() + ", token=" + fencingToken() + ", " + this.grant.state + ']';
    }
}
