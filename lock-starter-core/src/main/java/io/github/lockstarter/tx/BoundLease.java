package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lease that is acquired in a transaction and stays held until it has completed: a release before that is done then.
 * Thread-safe.
 */
final class BoundLease implements Lease {

    private final Lease lease;

    private final LockRequest request;

    private final ReentrantLock lock = new ReentrantLock();

    private boolean completed;

    /**
     * Completed with the result of the release; {@code null} if no release was requested before the end of the
     * transaction.
     */
    private @Nullable CompletableFuture<Boolean> released;

    private long keepUntilNanos;

    /**
     * Creates the lease, in the thread of the transaction.
     *
     * @param guarded whether the loss of the lease prevents the commit
     */
    BoundLease(Lease lease, LockRequest request, boolean guarded) {
        this.lease = lease;
        this.request = request;
        if (guarded) {
            GuardedLeases.add(lease);
        }
    }

    /** Returns {@code null} if the transaction has completed, which means that the lease can be released. */
    private @Nullable CompletableFuture<Boolean> postpone(Duration delay) {
        // Rejects invalid durations.
        this.request.withMinHold(delay);
        this.lock.lock();
        try {
            if (this.completed) {
                return null;
            }
            long until = System.nanoTime() + delay.toNanos();
            if (this.released == null) {
                this.released = new CompletableFuture<>();
                this.keepUntilNanos = until;
            } else if (until - this.keepUntilNanos > 0) {
                this.keepUntilNanos = until;
            }
            return this.released;
        } finally {
            this.lock.unlock();
        }
    }

    /**
     * Called in the thread of the transaction after it has completed. Does not wait for the store, as {@link
     * TransactionBoundLocks}.
     */
    void end() {
        GuardedLeases.remove(this.lease);
        CompletableFuture<Boolean> promised;
        this.lock.lock();
        try {
            this.completed = true;
            promised = this.released;
        } finally {
            this.lock.unlock();
        }
        if (promised != null) {
            long keepNanos = Math.max(0, this.keepUntilNanos - System.nanoTime());
            CompletionStage<?> unused =
                    this.lease.releaseAsync(Duration.ofNanos(keepNanos)).thenAccept(promised::complete);
        }
    }

    @Override
    public boolean release() {
        return releaseAfter(Duration.ZERO);
    }

    @Override
    public boolean releaseAfter(Duration delay) {
        return postpone(delay) != null ? this.lease.isHeld() : this.lease.releaseAfter(delay);
    }

    @Override
    public CompletionStage<Boolean> releaseAsync(Duration delay) {
        CompletableFuture<Boolean> promised = postpone(delay);
        return promised != null ? promised.minimalCompletionStage() : this.lease.releaseAsync(delay);
    }

    @Override
    public String name() {
        return this.lease.name();
    }

    @Override
    public long fencingToken() {
        return this.lease.fencingToken();
    }

    @Override
    public State state() {
        return this.lease.state();
    }

    @Override
    public boolean isHeld() {
        return this.lease.isHeld();
    }

    @Override
    public Duration remaining() {
        return this.lease.remaining();
    }

    @Override
    public void ensureHeld() {
        this.lease.ensureHeld();
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        this.lease.ensureHeld(atLeast);
    }

    @Override
    public CompletionStage<LossReason> lost() {
        return this.lease.lost();
    }

    @Override
    public boolean isReleaseRequested() {
        return this.lease.isReleaseRequested();
    }

    @Override
    public CompletionStage<@Nullable Void> releaseRequested() {
        return this.lease.releaseRequested();
    }

    @Override
    public void extend(Duration atLeast) {
        this.lease.extend(atLeast);
    }

    @Override
    public String toString() {
        return this.lease.toString();
    }
}
