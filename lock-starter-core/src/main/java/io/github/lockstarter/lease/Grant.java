package io.github.lockstarter.lease;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store and the state machine of its life. Its transitions are single atomic steps; {@code RELEASED}
 * and the losses are final, so a renewal that comes back after either changes nothing.
 */
final class Grant extends Belief {

    /** As {@link #renewUntil}: a fixed lease. */
    static final long NOT_RENEWED = Long.MIN_VALUE;

    /** As {@link #renewUntil}: renewed without a cap. */
    static final long UNCAPPED = Long.MAX_VALUE;

    /** As {@link #keptUntil}: free as soon as it is released. */
    static final long NOT_KEPT = Long.MIN_VALUE;

    private static final AtomicReferenceFieldUpdater<Grant, Standing> STANDING =
            AtomicReferenceFieldUpdater.newUpdater(Grant.class, Standing.class, "standing");

    private final LockRequest request;

    private final String acquisitionId;

    private final long fencingToken;

    private final long grantedAt;

    private final Turn turn;

    private final @Nullable Thread owner;

    private volatile Standing standing = Standing.HELD;

    private volatile long renewUntil = NOT_RENEWED;

    private volatile long keptUntil = NOT_KEPT;

    private volatile boolean abandoned;

    private volatile boolean settled;

    private long unansweredUntil = Long.MIN_VALUE;

    /** When the store's answer came on which this grant, or the first of those that were handed over, rests. */
    private final long storeGrantedAt;

    /** How often the grant was handed over since. */
    private final int passes;

    private volatile int failedRenewals;

    private volatile int renewals;

    private volatile @Nullable RenewalAttempt renewal;

    private volatile long renewalLateAt;

    /** A grant that the store gave. */
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
        this.owner = owner;
        this.storeGrantedAt = grantedAt;
        this.passes = 0;
        keep(request.minHold(), grantedAt);
    }

    /** A grant that goes on from another one, which is over: the same lease in the store, and the next token. */
    Grant(Grant from, LockRequest request, long grantedAt, Turn turn, @Nullable Thread owner) {
        this.request = request;
        this.acquisitionId = from.acquisitionId;
        this.fencingToken = from.fencingToken + 1;
        this.grantedAt = grantedAt;
        this.turn = turn;
        this.owner = owner;
        this.storeGrantedAt = from.storeGrantedAt;
        this.passes = from.passes + 1;
        goOnFrom(from);
        this.unansweredUntil = from.unansweredUntil;
        keep(request.minHold(), grantedAt);
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

    boolean isLive() {
        return this.standing.isLive();
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

    /** The renewal that was sent off last and has not come back; null if there is none. */
    @Nullable
    RenewalAttempt renewal() {
        return this.renewal;
    }

    /** When the renewal that was sent off last counts as late. */
    long renewalLateAt() {
        return this.renewalLateAt;
    }

    void renewalSent(RenewalAttempt attempt, long lateAt) {
        this.renewalLateAt = lateAt;
        this.renewal = attempt;
    }

    void renewalSucceeded() {
        int successes = this.renewals + 1;
        this.renewal = null;
        this.failedRenewals = 0;
        this.renewals = successes;
    }

    /** How many renewals have succeeded. */
    int renewals() {
        return this.renewals;
    }

    /** Counts the renewals that failed since the last one that did not. */
    int renewalFailed() {
        int failures = this.failedRenewals + 1;
        this.renewal = null;
        this.failedRenewals = failures;
        return failures;
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

    long storeGrantedAt() {
        return this.storeGrantedAt;
    }

    int passes() {
        return this.passes;
    }

    /** Until when an attempt of the acquisition that was never answered may still be executed and matter. */
    void setUnansweredUntil(long until) {
        this.unansweredUntil = until;
    }

    /** How long such an attempt still matters; 0: there is none. */
    long unansweredMillis(long now) {
        return this.unansweredUntil == Long.MIN_VALUE
                ? 0
                : Math.max(0, TimeUnit.NANOSECONDS.toMillis(this.unansweredUntil - now));
    }

    /** The thread that it belongs to; null: none. */
    @Nullable
    Thread owner() {
        return this.owner;
    }

    boolean ownerDied() {
        return this.owner != null && !this.owner.isAlive();
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

    long renewUntil() {
        return this.renewUntil;
    }

    void setRenewUntil(long renewUntil) {
        this.renewUntil = renewUntil;
    }

    /** Until when the lock stays taken if it is released before. */
    long keptUntil() {
        return this.keptUntil;
    }

    /** One of its holds asks for that much from then on; the last end counts. */
    void keep(Duration minHold, long from) {
        if (!minHold.isZero()) {
            long until = from + minHold.toNanos();
            long before = this.keptUntil;
            if (before == NOT_KEPT || until - before > 0) {
                this.keptUntil = until;
            }
        }
    }

    Turn turn() {
        return this.turn;
    }
}
