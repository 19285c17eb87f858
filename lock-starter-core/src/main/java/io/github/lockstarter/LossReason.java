package io.github.lockstarter;

/** Why a lease was lost. */
public enum LossReason {

    /** The lease expired: a fixed lease was too short, or renewals failed until the local deadline. */
    EXPIRED,

    /** The store reported another owner of the lock. */
    TAKEN_OVER,

    /** The store reported that the lock has no owner: it was deleted, evicted, flushed or lost in a failover. */
    DELETED,

    /** The cap of a renewed lease was reached, renewal stopped and the lease expired. */
    MAX_HOLD,

    /** The owning thread ended, or the lease became unreachable, without a release. */
    OWNER_DIED,

    /** The registry was stopped while the body still ran; the key expires by itself. */
    SHUTDOWN
}
