package io.github.lockstarter.lock;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * What one owner has: the handle of a grant. Only {@link LocalLock} changes it, under the mutex of the lock. Any thread
 * reads its state and validity without the mutex.
 */
public final class Grant {

    /** The life of a grant. HELD and AT_RISK alternate; the states after RELEASING are final. */
    public enum State {
        HELD,
        /** A renewal has failed or is late. */
        AT_RISK,
        /** The owner has released it; the store has not answered yet. */
        RELEASING,
        RELEASED,
        LOST
    }

    public final Terms terms;

    /** Replaced once: a handle that belongs to no thread is watched for being dropped. */
    public Owner owner;

    /** What the user has requested. */
    public final LockRequest request;

    public final long token;

    public final long grantedAt;

    /** The id in the store; a grant that is passed on in memory keeps the acquisition. */
    public final Acquisition acquisition;

    public volatile State state = State.HELD;

    /** Set before the state is LOST. */
    @Nullable
    public LossReason lossReason;

    /** Until when it is renewed; {@link Moment#BEFORE}: not at all. */
    public long renewUntil;

    /** Whether no reference is left by which the owner could release it. */
    boolean abandoned;

    /** Whether its owner has released it after it was lost; reported once. */
    boolean isReturned;

    /** Whether its waiter was abandoned, so that no owner will release it. Written without the mutex. */
    public volatile boolean isUnclaimed;

    /** How often it was renewed; changed by observers, one after the other. */
    public volatile int renewals;

    /** Whether the driver counts it as live. */
    public boolean isCounted;

    /** Called by the driver when the release is over, on any thread; null: nothing. */
    @Nullable
    public Runnable whenReleased;

    /** The neighbours among the readers of this JVM that share an acquisition. */
    @Nullable
    Grant previous;

    @Nullable
    Grant next;

    Grant(Acquisition acquisition, Waiter waiter, long token, long now) {
        this.acquisition = acquisition;
        this.terms = waiter.terms;
        this.owner = waiter.owner;
        this.request = waiter.request;
        this.token = token;
        this.grantedAt = now;
        this.renewUntil = this.terms.isRenewed() ? Moment.sum(now, this.terms.maxHold()) : Moment.BEFORE;
    }

    /** Returns whether the owner has neither released nor lost it, without a look at the clock. */
    public boolean isLive() {
        State current = this.state;
        return current == State.HELD || current == State.AT_RISK;
    }

    /** Returns whether the owner may rely on it at that moment. */
    public boolean isHeld(Moment now) {
        return isLive() && this.acquisition.remaining(now) > 0;
    }

    /** Returns the nanoseconds for which the owner may rely on it; 0: it has ended. */
    public long remaining(Moment now) {
        return isLive() ? Math.max(0, this.acquisition.remaining(now)) : 0;
    }

    public GrantKind kind() {
        return this.acquisition.kind;
    }

    public String lockName() {
        return this.request.lockName();
    }

    public String id() {
        return this.acquisition.id;
    }
}
