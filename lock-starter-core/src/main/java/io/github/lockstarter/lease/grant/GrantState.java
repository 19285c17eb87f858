package io.github.lockstarter.lease.grant;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LossReason;
import org.jspecify.annotations.Nullable;

/** State of a grant. A loss and its reason are one value, so that they change in one atomic step. */
public enum GrantState {
    HELD(Lease.State.HELD, null),
    AT_RISK(Lease.State.AT_RISK, null),
    /** The release is in progress: renewals have ended, and users see the lease as released. */
    RELEASING(Lease.State.RELEASED, null),
    RELEASED(Lease.State.RELEASED, null),
    EXPIRED(Lease.State.LOST, LossReason.EXPIRED),
    TAKEN_OVER(Lease.State.LOST, LossReason.TAKEN_OVER),
    DELETED(Lease.State.LOST, LossReason.DELETED),
    MAX_HOLD(Lease.State.LOST, LossReason.MAX_HOLD),
    OWNER_DIED(Lease.State.LOST, LossReason.OWNER_DIED),
    SHUTDOWN(Lease.State.LOST, LossReason.SHUTDOWN);

    private final Lease.State state;

    private final @Nullable LossReason lossReason;

    GrantState(Lease.State state, @Nullable LossReason lossReason) {
        this.state = state;
        this.lossReason = lossReason;
    }

    static GrantState lost(LossReason reason) {
        return switch (reason) {
            case EXPIRED -> EXPIRED;
            case TAKEN_OVER -> TAKEN_OVER;
            case DELETED -> DELETED;
            case MAX_HOLD -> MAX_HOLD;
            case OWNER_DIED -> OWNER_DIED;
            case SHUTDOWN -> SHUTDOWN;
        };
    }

    public Lease.State leaseState() {
        return this.state;
    }

    /** Returns the reason of the loss; null unless the grant is lost. */
    @Nullable
    public LossReason lossReason() {
        return this.lossReason;
    }

    /** Returns whether the lease is held, at risk or not. */
    public boolean isLive() {
        return this == HELD || this == AT_RISK;
    }
}
