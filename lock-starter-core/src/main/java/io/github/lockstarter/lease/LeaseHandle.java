package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.text.Printable;
import java.lang.ref.Cleaner.Cleanable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** What users hold of a grant. Nothing inside the library refers to it, so that a forgotten one can be noticed. */
final class LeaseHandle implements Lease {

    @SuppressWarnings("rawtypes") // there is no class literal of a future of something
    private static final AtomicReferenceFieldUpdater<LeaseHandle, CompletableFuture> LOST =
            AtomicReferenceFieldUpdater.newUpdater(LeaseHandle.class, CompletableFuture.class, "lost");

    private final LockEngine engine;

    private final Grant grant;

    private volatile @Nullable CompletableFuture<LossReason> lost;

    private final @Nullable Cleanable watchOverForgetting;

    LeaseHandle(LockEngine engine, Grant grant, @Nullable AbandonedLeases abandonedLeases) {
        this.engine = engine;
        this.grant = grant;
        this.watchOverForgetting = abandonedLeases != null ? abandonedLeases.register(this, grant) : null;
    }

    Grant grant() {
        return this.grant;
    }

    @Override
    public String name() {
        return this.grant.lockName();
    }

    private String shownName() {
        return this.engine.names().of(name());
    }

    @Override
    public long fencingToken() {
        return this.grant.fencingToken();
    }

    @Override
    public State state() {
        return standing().state();
    }

    @Override
    public boolean isHeld() {
        return standing().isLive();
    }

    /** Reading is looking: a deadline that has passed is noticed here, even if the timer is late. */
    private Standing standing() {
        this.engine.losses().check(this.grant);
        return this.grant.standing();
    }

    @Override
    public Duration remaining() {
        return isHeld() ? Duration.ofNanos(Math.max(0, this.grant.remaining(this.engine.clock()))) : Duration.ZERO;
    }

    @Override
    public void ensureHeld() {
        Standing standing = standing();
        LossReason reason = standing.lossReason();
        if (reason != null) {
            throw LossDescription.of(this.engine.names(), this.grant, reason);
        }
        if (!standing.isLive()) {
            throw new IllegalStateException(Printable.of("The lease of lock '" + shownName() + "' was released."));
        }
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        ensureHeld();
        Duration remaining = remaining();
        if (remaining.compareTo(atLeast) < 0) {
            throw LossDescription.tooShort(this.engine.names(), this.grant, remaining.toMillis(), atLeast.toMillis());
        }
    }

    @Override
    public CompletionStage<LossReason> lost() {
        CompletableFuture<LossReason> future = this.lost;
        if (future == null) {
            CompletableFuture<LossReason> created = new CompletableFuture<>();
            if (LOST.compareAndSet(this, null, created)) {
                LockThreads threads = this.engine.threads();
                this.engine.losses().onLoss(this.grant, reason -> threads.complete(() -> created.complete(reason)));
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
            throw new IllegalArgumentException(Printable.of("Lock '" + shownName() + "' cannot be extended by "
                    + atLeast + ": a lease that is renewed is asked for when the lock is acquired."));
        }
        // Refuses what a request would refuse.
        long leaseMillis = this.engine.leaseMillis(this.grant.request().withLease(atLeast));
        ensureHeld();
        this.engine.watchdog().renewer().renewNow(this.grant, leaseMillis);
        // Released by another thread meanwhile, it has not been extended, whatever the store said.
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
        CompletionStage<Boolean> released = this.engine.releaser().releaseAsync(this.grant, keepMillis(delay));
        forgettingIsHarmless();
        // The answer comes on a thread that must not be blocked, and dependent stages are user code.
        CompletableFuture<Boolean> reported = new CompletableFuture<>();
        LockThreads threads = this.engine.threads();
        CompletionStage<?> unused = released.whenComplete(
                (ours, failure) -> threads.complete(() -> reported.complete(failure != null || ours)));
        return reported;
    }

    /** Refuses what a request would refuse. A part of a millisecond counts, or the lock would be free too early. */
    private long keepMillis(Duration delay) {
        this.grant.request().withMinHold(delay);
        return delay.plusNanos(999_999).toMillis();
    }

    private boolean release(long keepMillis) {
        boolean ours = this.engine.releaser().release(this.grant, keepMillis);
        forgettingIsHarmless();
        return ours;
    }

    private void forgettingIsHarmless() {
        if (this.watchOverForgetting != null) {
            this.watchOverForgetting.clean();
        }
    }

    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "Lease[" + shownName() + ", token=" + fencingToken() + ", " + this.grant.standing() + ']';
    }
}
