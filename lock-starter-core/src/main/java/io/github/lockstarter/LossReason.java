package io.github.lockstarter;

/** Reasons for the loss of a lease. */
public enum LossReason {

    /** The lease expired: a fixed lease was too short, or renewals failed until its end. */
    EXPIRED,

    /** The store, or a database in which transactions fence themselves, reported another owner of the lock. */
    TAKEN_OVER,

    /** The store reported that the lock has no owner: it was deleted, evicted, flushed or lost in a failover. */
    DELETED,

    /**
     * The lock was released by force. This is known from the message that a forced release sends, after which the store
     * is asked; without the message, the reason is {@link #DELETED} or {@link #TAKEN_OVER}.
     */
    REVOKED,

    /** The longest time of renewal was reached, and the lease expired. */
    MAX_HOLD,

    /** The owning thread ended, or the lease became unreachable, without a release. */
    OWNER_DIED,

    /** The registry was stopped while the work under the lock was running; the key expires by itself. */
    SHUTDOWN,

    /**
     * An error of the JVM, such as an exhausted heap or stack, has interrupted what the registry did with the lock. All
     * its leases of this JVM are lost and its waits fail; other locks are not affected.
     */
    FAILED
}
