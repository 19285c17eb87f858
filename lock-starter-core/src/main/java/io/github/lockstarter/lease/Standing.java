package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LossReason;
import org.jspecify.annotations.Nullable;

/** Where a grant stands. A loss and its reason are one value, so that they change in one step. */
enum Standing {
    HELD(Lease.State.HELD, null),
    AT_RISK(Lease.State.AT_RISK, null),
    /** Renewal has ended and the release is on its way; to the outside this is released already. */
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

    Standing(Lease.State state, @Nullable LossReason lossReason) {
        this.state = state;
        this.lossReason = lossReason;
    }

    static Standing lost(LossReason reason) {
        return switch (reason) {
            case EXPIRED -> EXPIRED;
            case TAKEN_OVER -> TAKEN_OVER;
            case DELETED -> DELETED;
            case MAX_HOLD -> MAX_HOLD;
            case OWNER_DIED -> OWNER_DIED;
            case SHUTDOWN -> SHUTDOWN;
        };
    }

    Lease.State state() {
        return this.state;
    }

    /** Why it was lost; null unless it was. */
    @Nullable
    LossReason lossReason() {
        return this.lossReason;
    }

    /** Held, at risk or not. */
    boolean isLive() {
        return this == HELD || this == AT_RISK;
    }
}
