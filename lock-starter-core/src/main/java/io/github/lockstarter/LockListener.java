package io.github.lockstarter;

/**
 * Hears what happens to locks. Every bean of this type is called.
 *
 * <p>Listeners run one after the other on a thread of the library, behind a bounded queue: they cannot delay or break a
 * lock, and what they throw is logged. When they are so slow that the queue is full, events are dropped and counted. A
 * listener hears the events of one lease in their order.
 */
public interface LockListener {

    /** A lease was granted; not called for nested holds. */
    default void acquired(LockAcquiredEvent event) {}

    /** A wait ended without a grant. */
    default void notAcquired(LockNotAcquiredEvent event) {}

    /** A renewal succeeded. */
    default void renewed(LockRenewedEvent event) {}

    /** A renewal failed; it is retried while the lease lasts, unless the store said that the lock is not ours. */
    default void renewalFailed(LockRenewalFailedEvent event) {}

    /** A lease is still held, but its last renewal failed or is late. */
    default void atRisk(LockAtRiskEvent event) {}

    /** A lease that was at risk is safe again. */
    default void recovered(LockRecoveredEvent event) {}

    /** A lease was lost. */
    default void lost(LockLostEvent event) {}

    /** An owner gave its lease back, lost ones included. */
    default void released(LockReleasedEvent event) {}

    /** A lock went straight to the next in line. */
    default void handedOver(LockHandedOverEvent event) {}
}
