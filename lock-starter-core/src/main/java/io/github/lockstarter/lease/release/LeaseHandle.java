package io.github.lockstarter.lease.release;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantState;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.lang.ref.Cleaner.Cleanable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** The user's view of a grant. Nothing in the library refers to it, so that a dropped one can be noticed. */
public final class LeaseHandle implements Lease {

    /** What handles do with their grants; one for all handles, which keeps them small. */
    record Operations(Losses losses, Renewer renewer, Releaser releaser, LeaseTerms terms, LockThreads threads) {}

    private static final LockLog logger = LockLog.of(LeaseHandle.class);

    @SuppressWarnings("rawtypes") // there is no class literal of a parameterized type
    private static final AtomicReferenceFieldUpdater<LeaseHandle, CompletableFuture> LOST =
            AtomicReferenceFieldUpdater.newUpdater(LeaseHandle.class, CompletableFuture.class, "lost");

    private final Operations operations;

    private final Grant grant;

    private volatile @Nullable CompletableFuture<LossReason> lost;

    /** Set before the handle is published; null: the lease belongs to a thread. */
    private @Nullable Cleanable cleanable;

    LeaseHandle(Operations operations, Grant grant) {
        this.operations = operations;
        this.grant = grant;
    }

    void setCleanable(Cleanable registered) {
        this.cleanable = registered;
    }

    /** Creates the exception for the owner of this lease after a loss. */
    public LockLostException exception(LossReason reason) {
        return this.operations.losses().exception(this.grant, reason);
    }

    public Grant grant() {
        return this.grant;
    }

    @Override
    public String name() {
        return this.grant.lockName();
    }

    private String shownName() {
        return this.operations.losses().shownName(this.grant);
    }

    @Override
    public long fencingToken() {
        return this.grant.fencingToken();
    }

    @Override
    public State state() {
        return checkedState().leaseState();
    }

    @Override
    public boolean isHeld() {
        return checkedState().isLive();
    }

    /** Notices a deadline that has passed, even if the timer is late. */
    private GrantState checkedState() {
        this.operations.losses().check(this.grant);
        return this.grant.state();
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(this.operations.losses().remaining(this.grant));
    }

    @Override
    public void ensureHeld() {
        GrantState state = checkedState();
        LossReason reason = state.lossReason();
        if (reason != null) {
            throw exception(reason);
        }
        if (!state.isLive()) {
            throw new IllegalStateException(Printable.of("The lease of lock '" + shownName() + "' was released."));
        }
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        ensureHeld();
        Duration remaining = remaining();
        if (remaining.compareTo(atLeast) < 0 && !this.grant.isConfirmed()) {
            confirm();
            remaining = remaining();
        }
        if (remaining.compareTo(atLeast) < 0) {
            throw this.operations.losses().tooShort(this.grant, remaining.toMillis(), atLeast.toMillis());
        }
    }

    /** Renews a lease of which only the claim is known; without a reply, what is left decides. */
    private void confirm() {
        try {
            this.operations
                    .renewer()
                    .renewNow(this.grant, this.operations.terms().leaseMillis(this.grant.request()));
        } catch (LockStoreException ex) {
            logger.debug("The lease of lock '" + shownName() + "' is not confirmed yet.", ex);
        }
    }

    @Override
    public CompletionStage<LossReason> lost() {
        CompletableFuture<LossReason> future = this.lost;
        if (future == null) {
            CompletableFuture<LossReason> created = new CompletableFuture<>();
            if (LOST.compareAndSet(this, null, created)) {
                LockThreads threads = this.operations.threads();
                this.operations.losses().onLoss(this.grant, reason -> threads.complete(() -> created.complete(reason)));
                future = created;
            } else {
                return lost();
            }
        }
        return future.minimalCompletionStage();
    }

    @Override
    public void extend(Duration atLeast) {
        if (LockRequest.FOREVER.equals(atLeast)) {
            throw new IllegalArgumentException(Printable.of("Lock '" + shownName()
                    + "' cannot be extended without a limit: request a renewed lease when you acquire the lock."));
        }
        // The request rejects invalid durations.
        long leaseMillis =
                this.operations.terms().leaseMillis(this.grant.request().withLease(atLeast));
        ensureHeld();
        this.operations.renewer().renewNow(this.grant, leaseMillis);
        // Another thread may have released the lease meanwhile; then it has not been extended, whatever the store
        // replied.
        ensureHeld();
    }

    @Override
    public boolean release() {
        return release(0L);
    }

    @Override
    public boolean releaseAfter(Duration delay) {
        return release(keepMillis(delay));
    }

    @Override
    public CompletionStage<Boolean> releaseAsync(Duration delay) {
        CompletionStage<Boolean> released = this.operations.releaser().releaseAsync(this.grant, keepMillis(delay));
        endWatch();
        // The reply arrives on a thread that must not be blocked, and dependent stages are user code.
        CompletableFuture<Boolean> reported = new CompletableFuture<>();
        LockThreads threads = this.operations.threads();
        CompletionStage<?> unused = released.whenComplete(
                (ours, failure) -> threads.complete(() -> reported.complete(failure != null || ours)));
        return reported;
    }

    /** The request rejects invalid durations. Rounded up, or the lock would be free too early. */
    private long keepMillis(Duration delay) {
        this.grant.request().withMinHold(delay);
        return delay.plusNanos(999_999).toMillis();
    }

    private boolean release(long keepMillis) {
        boolean ours = this.operations.releaser().release(this.grant, keepMillis);
        endWatch();
        return ours;
    }

    private void endWatch() {
        if (this.cleanable != null) {
            this.cleanable.clean();
        }
    }

    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "Lease[" + shownName() + ", token=" + fencingToken() + ", " + this.grant.state() + ']';
    }
}
