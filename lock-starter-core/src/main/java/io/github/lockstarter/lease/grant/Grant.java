package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One grant of the store and the state machine of its life.
 *
 * <p>Implementation note. Each transition is one compare-and-set of {@link GrantState}: HELD and AT_RISK alternate with
 * the results of renewals; from both, one transition leads to RELEASING or to a loss, and the thread that makes it does
 * all that follows from it. RELEASED and the losses are final, so that the reply to a renewal changes nothing after either. The
 * owner's thread, the watchdog, the threads that read replies and the shutdown may all try at the same time.
 *
 * <p>{@code renewUntil} and {@code keptUntil} belong to the owner. Times are nanoseconds of {@code LeaseClock.nanoTime()} and
 * are compared by their difference.
 *
 * <p>The grant is its own entry in the timing wheel, so that scheduling a check allocates nothing.
 */
public sealed class Grant extends RenewedLease permits SharedGrant {

    /** Value of {@link #renewUntil}: a fixed lease. */
    public static final long NOT_RENEWED = Long.MIN_VALUE;

    /** Value of {@link #renewUntil}: renewed without a limit. */
    public static final long UNCAPPED = Long.MAX_VALUE;

    /** Value of {@link #keptUntil}: free as soon as it is released. */
    public static final long NOT_KEPT = Long.MIN_VALUE;

    private static final AtomicReferenceFieldUpdater<Grant, GrantState> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Grant.class, GrantState.class, "state");

    private final LockRequest request;

    private final String acquisitionId;

    private final long fencingToken;

    private final long grantedAt;

    private final @Nullable Thread owner;

    private volatile GrantState state = GrantState.HELD;

    private volatile long renewUntil = NOT_RENEWED;

    private volatile long keptUntil = NOT_KEPT;

    private volatile boolean abandoned;

    private volatile boolean settled;

    private long unansweredUntil = Long.MIN_VALUE;

    /** Time of the store's reply on which this grant, or the first of those that were handed over, is based. */
    private final long storeGrantedAt;

    /** How often the lease was handed over since then. */
    private final int passes;

    /** Creates a grant of the store. */
    Grant(LockRequest request, String acquisitionId, long fencingToken, long grantedAt, @Nullable Thread owner) {
        this.request = request;
        this.acquisitionId = acquisitionId;
        this.fencingToken = fencingToken;
        this.grantedAt = grantedAt;
        this.owner = owner;
        this.storeGrantedAt = grantedAt;
        this.passes = 0;
        keep(request.minHold(), grantedAt);
    }

    /** Creates a grant that continues another one, which has ended: the same lease in the store, and the next token. */
    Grant(Grant from, LockRequest request, long grantedAt, @Nullable Thread owner) {
        this.request = request;
        this.acquisitionId = from.acquisitionId;
        this.fencingToken = from.fencingToken + 1;
        this.grantedAt = grantedAt;
        this.owner = owner;
        this.storeGrantedAt = from.storeGrantedAt;
        this.passes = from.passes + 1;
        continueFrom(from);
        this.unansweredUntil = from.unansweredUntil;
        keep(request.minHold(), grantedAt);
    }

    boolean atRisk() {
        return STATE.compareAndSet(this, GrantState.HELD, GrantState.AT_RISK);
    }

    boolean recover() {
        return STATE.compareAndSet(this, GrantState.AT_RISK, GrantState.HELD);
    }

    boolean lose(LossReason reason) {
        return leaveLife(GrantState.lost(reason));
    }

    public boolean beginRelease() {
        return leaveLife(GrantState.RELEASING);
    }

    public void endRelease() {
        STATE.compareAndSet(this, GrantState.RELEASING, GrantState.RELEASED);
    }

    /** The release found that the store no longer has the grant. */
    boolean loseInRelease(LossReason reason) {
        return STATE.compareAndSet(this, GrantState.RELEASING, GrantState.lost(reason));
    }

    private boolean leaveLife(GrantState next) {
        while (true) {
            GrantState current = this.state;
            if (!current.isLive()) {
                return false;
            }
            if (STATE.compareAndSet(this, current, next)) {
                return true;
            }
        }
    }

    public GrantState state() {
        return this.state;
    }

    public boolean isLive() {
        return this.state.isLive();
    }

    /** Returns the reason of a loss at this moment. */
    LossReason reasonOfEnd(long now) {
        if (this.abandoned) {
            return LossReason.OWNER_DIED;
        }
        return this.renewUntil != NOT_RENEWED && !wantsRenewal(now) ? LossReason.MAX_HOLD : LossReason.EXPIRED;
    }

    /** Returns whether the watchdog must renew the grant: because its owner wants that, or to confirm it. */
    boolean needsRenewal(long now) {
        return !isConfirmed() || wantsRenewal(now);
    }

    public boolean wantsRenewal(long now) {
        long until = this.renewUntil;
        return until == UNCAPPED || (until != NOT_RENEWED && until - now > 0);
    }

    /** Ends the renewals, because no reference to the lease is left by which it could be released. */
    public void abandon() {
        this.abandoned = true;
        this.renewUntil = NOT_RENEWED;
    }

    /** Notes that the owner of a lost lease has released it; returns true the first time. */
    public boolean settle() {
        boolean first = !this.settled;
        this.settled = true;
        return first;
    }

    public long storeGrantedAt() {
        return this.storeGrantedAt;
    }

    public int passes() {
        return this.passes;
    }

    /** Notes that attempts of the acquisition without a reply may still take effect for that time; 0: there is none. */
    public void setUnanswered(long millis) {
        if (millis > 0) {
            this.unansweredUntil = this.grantedAt + TimeUnit.MILLISECONDS.toNanos(millis);
        }
    }

    /** Takes over what {@link #setUnanswered} has noted for another grant of the same acquisition. */
    final void setUnanswered(Grant same) {
        this.unansweredUntil = same.unansweredUntil;
    }

    /** Returns the milliseconds for which such an attempt may still take effect; 0: there is none. */
    public long unansweredMillis(long now) {
        return this.unansweredUntil == Long.MIN_VALUE
                ? 0
                : Math.max(0, TimeUnit.NANOSECONDS.toMillis(this.unansweredUntil - now));
    }

    /** Returns the thread that it belongs to; null: none. */
    @Nullable
    public Thread owner() {
        return this.owner;
    }

    public boolean ownerDied() {
        return this.owner != null && !this.owner.isAlive();
    }

    public LockRequest request() {
        return this.request;
    }

    public String lockName() {
        return this.request.lockName();
    }

    public String acquisitionId() {
        return this.acquisitionId;
    }

    public long fencingToken() {
        return this.fencingToken;
    }

    public long grantedAt() {
        return this.grantedAt;
    }

    public long renewUntil() {
        return this.renewUntil;
    }

    public void setRenewUntil(long renewUntil) {
        this.renewUntil = renewUntil;
    }

    /** Returns the time until which the lock stays taken if it is released earlier. */
    public long keptUntil() {
        return this.keptUntil;
    }

    /** Applies the minimum hold of one of its holds, which began at {@code from}; the latest end counts. */
    public final void keep(Duration minHold, long from) {
        if (!minHold.isZero()) {
            long until = from + minHold.toNanos();
            long before = this.keptUntil;
            if (before == NOT_KEPT || until - before > 0) {
                this.keptUntil = until;
            }
        }
    }
}
