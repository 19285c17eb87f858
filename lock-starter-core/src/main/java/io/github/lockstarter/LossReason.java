package io.github.lockstarter;

/** Why a lease can no longer be relied on. */
public enum LossReason {

    /** It ran out: a fixed lease that was too short, or renewals that failed until the local deadline. */
    EXPIRED,

    /** The store said that another acquisition owns the lock. */
    TAKEN_OVER,

    /** The store said that nobody owns the lock: deleted, evicted, flushed or lost in a failover. */
    DELETED,

    /** The cap of a renewed lease was reached, renewal stopped and the lease ran out. */
    MAX_HOLD,

    /** The owning thread ended, or the lease became unreachable, without a release. */
    OWNER_DIED,

    /** The registry was stopped while the body still ran; the key is left to run out by itself. */
    SHUTDOWN
}
