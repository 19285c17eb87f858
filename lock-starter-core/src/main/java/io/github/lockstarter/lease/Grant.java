package io.github.lockstarter.lease;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store and the state machine of its life. Its transitions are single atomic steps; {@code RELEASED}
 * and the losses are final, so a renewal that comes back after either changes nothing.
 */
final class Grant extends DueQueue.Entry {

    /** As {@link #renewUntil}: a fixed lease. */
    static final long NOT_RENEWED = Long.MIN_VALUE;

    /** As {@link #renewUntil}: renewed without a cap. */
    static final long UNCAPPED = Long.MAX_VALUE;

    private static final AtomicReferenceFieldUpdater<Grant, Standing> STANDING =
            AtomicReferenceFieldUpdater.newUpdater(Grant.class, Standing.class, "standing");

    private final LockRequest request;

    private final String acquisitionId;

    private final long fencingToken;

    private final long grantedAt;

    private final Turn turn;

    private final @Nullable WeakReference<Thread> owner;

    private volatile Standing standing = Standing.HELD;

    private volatile long validUntil;

    private volatile long wallValidUntil;

    private volatile long renewUntil = NOT_RENEWED;

    private volatile boolean abandoned;

    private volatile boolean settled;

    private long unansweredUntil = Long.MIN_VALUE;

    /** Renewal attempts that failed since the last one that did not. */
    volatile int failedRenewals;

    /** Whether a renewal was sent off and has not come back yet. */
    volatile boolean renewalInFlight;

    /** When a renewal in flight counts as late. */
    volatile long renewalLateAt;

    Grant(
            LockRequest request,
            String acquisitionId,
            long fencingToken,
            long grantedAt,
            Turn turn,
            @Nullable Thread owner) {
        this.request = request;
        this.acquisitionId = acquisitionId;
        this.fencingToken = fencingToken;
        this.grantedAt = grantedAt;
        this.turn = turn;
        this.owner = owner != null ? new WeakReference<>(owner) : null;
    }

    /**
     * Notes that the store set the lease. It is counted from the moment the request was sent, less a margin: counted
     * from the reply, the store could grant the lock to another while we still believed in it.
     */
    void extend(long sentAt, long sentAtWall, long leaseMillis) {
        long valid = TimeUnit.MILLISECONDS.toNanos(leaseMillis) - marginNanos(leaseMillis);
        // A renewal never shortens what a longer lease has left; nor does this.
        long until = Math.max(valid, this.validUntil == 0 ? valid : this.validUntil - sentAt);
        this.validUntil = sentAt + until;
        this.wallValidUntil = sentAtWall + TimeUnit.NANOSECONDS.toMillis(until);
    }

    /** A tenth, for clocks that run at different speeds and for steps of the server's clock. */
    static long marginNanos(long leaseMillis) {
        return TimeUnit.MILLISECONDS.toNanos(Math.max(20, leaseMillis)) / 10;
    }

    boolean atRisk() {
        return STANDING.compareAndSet(this, Standing.HELD, Standing.AT_RISK);
    }

    boolean recover() {
        return STANDING.compareAndSet(this, Standing.AT_RISK, Standing.HELD);
    }

    boolean lose(LossReason reason) {
        return leaveLife(Standing.lost(reason));
    }

    boolean beginRelease() {
        return leaveLife(Standing.RELEASING);
    }

    void endRelease() {
        STANDING.compareAndSet(this, Standing.RELEASING, Standing.RELEASED);
    }

    /** The release found that the lock was not ours any more. */
    boolean loseInRelease(LossReason reason) {
        return STANDING.compareAndSet(this, Standing.RELEASING, Standing.lost(reason));
    }

    private boolean leaveLife(Standing next) {
        while (true) {
            Standing current = this.standing;
            if (!current.isLive()) {
                return false;
            }
            if (STANDING.compareAndSet(this, current, next)) {
                return true;
            }
        }
    }

    Standing standing() {
        return this.standing;
    }

    /** Whether the lease may have ended in the store, by either clock. */
    boolean hasEnded(LeaseClock clock) {
        return clock.nanoTime() - this.validUntil >= 0 || clock.currentTimeMillis() >= this.wallValidUntil;
    }

    /** Nanoseconds left by the stricter clock; not positive if it has ended. */
    long remaining(LeaseClock clock) {
        return Math.min(
                this.validUntil - clock.nanoTime(),
                TimeUnit.MILLISECONDS.toNanos(this.wallValidUntil - clock.currentTimeMillis()));
    }

    /** Why the lease ends if it ends now. */
    LossReason reasonOfEnd(long now) {
        if (this.abandoned) {
            return LossReason.OWNER_DIED;
        }
        return this.renewUntil != NOT_RENEWED && !wantsRenewal(now) ? LossReason.MAX_HOLD : LossReason.EXPIRED;
    }

    boolean wantsRenewal(long now) {
        long until = this.renewUntil;
        return until == UNCAPPED || (until != NOT_RENEWED && until - now > 0);
    }

    /** Nobody can release it any more: let it run out. */
    void abandon() {
        this.abandoned = true;
        this.renewUntil = NOT_RENEWED;
    }

    /** The owner of a lost lease is done with it; true the first time. */
    boolean settle() {
        boolean first = !this.settled;
        this.settled = true;
        return first;
    }

    /** Until when an attempt of the acquisition that was never answered may still be executed and matter. */
    void setUnansweredUntil(long until) {
        this.unansweredUntil = until;
    }

    long unansweredUntil() {
        return this.unansweredUntil;
    }

    boolean ownerDied() {
        if (this.owner == null) {
            return false;
        }
        Thread thread = this.owner.get();
        return thread == null || !thread.isAlive();
    }

    LockRequest request() {
        return this.request;
    }

    String lockName() {
        return this.request.lockName();
    }

    String acquisitionId() {
        return this.acquisitionId;
    }

    long fencingToken() {
        return this.fencingToken;
    }

    long grantedAt() {
        return this.grantedAt;
    }

    long validUntil() {
        return this.validUntil;
    }

    long renewUntil() {
        return this.renewUntil;
    }

    void setRenewUntil(long renewUntil) {
        this.renewUntil = renewUntil;
    }

    Turn turn() {
        return this.turn;
    }
}
