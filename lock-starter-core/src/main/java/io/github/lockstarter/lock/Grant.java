package io.github.lockstarter.lock;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * The right of one owner to use a lock, as part of an {@link Acquisition}. {@link LocalLock} changes its state under
 * the mutex of the lock. Any thread may read the state and the validity without the mutex.
 */
public final class Grant {

    /** The states of a grant. HELD and AT_RISK alternate. RELEASED and LOST are final. */
    public enum State {
        HELD,
        /** A renewal has failed or is late. */
        AT_RISK,
        /** The owner has released the grant, and the store has not answered yet. */
        RELEASING,
        RELEASED,
        LOST
    }

    public final Terms terms;

    /** The owner. Replaced once if a handle that belongs to no thread is watched for becoming unreachable. */
    public Owner owner;

    /** The request of the user. */
    public final LockRequest request;

    public final long token;

    public final long grantedAt;

    /** The acquisition with the id in the store. A hand-over in memory keeps it. */
    public final Acquisition acquisition;

    public volatile State state = State.HELD;

    /** Why the grant was lost, or {@code null}. Set before the state becomes {@link State#LOST}. */
    @Nullable
    public LossReason lossReason;

    /** Time until which the grant is renewed, or {@link Moment#BEFORE} if it is not renewed. */
    public long renewUntil;

    /** Whether there is no reference by which the owner could release the grant. */
    boolean abandoned;

    /** Whether the owner has released the grant after its loss, which is reported once. */
    boolean isReturned;

    /** Whether no owner will release the grant, because its waiter was abandoned. Written without the mutex. */
    public volatile boolean isUnclaimed;

    /** Number of renewals. Observers change it one after the other. */
    public volatile int renewals;

    /** Whether the driver counts the grant as live. */
    public boolean isCounted;

    /** Called by the driver on any thread when the release is over, or {@code null} if there is nothing to call. */
    @Nullable
    public Runnable whenReleased;

    /** The previous reader of this JVM that shares the acquisition, or {@code null} if there is none. */
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

    /** Returns whether the owner has neither released nor lost the grant, without reading the clock. */
    public boolean isLive() {
        State current = this.state;
        return current == State.HELD || current == State.AT_RISK;
    }

    /** Returns whether the owner may rely on the grant at the given moment. */
    public boolean isHeld(Moment now) {
        return isLive() && this.acquisition.remaining(now) > 0;
    }

    /** Returns the nanoseconds for which the owner may rely on the grant, or 0 if it has ended. */
    public long remaining(Moment now) {
        return isLive() ? Math.max(0, this.acquisition.remaining(now)) : 0;
    }

    /** Returns whether the owner was asked to release the grant, and has neither released nor lost it. */
    public boolean isReleaseRequested() {
        return this.acquisition.isReleaseRequested && isLive();
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
