package io.github.lockstarter;

/**
 * Is notified of what happens to locks. Every bean of this type is called.
 *
 * <p>Listeners are called one after the other on a thread of the library, behind a bounded queue: they cannot delay or break
 * a lock, and their exceptions are logged. When they are so slow that the queue is full, events are dropped and counted, in
 * the meter {@code distributed.lock.events.dropped}, and a warning names the listener that is running. The events of one
 * lease are delivered in their order.
 */
public interface LockListener {

    /** Called when a lease was granted; not for nested holds. */
    default void acquired(LockAcquiredEvent event) {}

    /** Called when a wait ended without a grant. */
    default void notAcquired(LockNotAcquiredEvent event) {}

    /** Called when a renewal succeeded. */
    default void renewed(LockRenewedEvent event) {}

    /**
     * Called when a renewal failed. It is retried while the lease lasts, unless the store reported that the lock has another
     * owner or none.
     */
    default void renewalFailed(LockRenewalFailedEvent event) {}

    /** Called when the last renewal of a lease that is still held failed or is late. */
    default void atRisk(LockAtRiskEvent event) {}

    /** Called when a lease that was at risk has been renewed. */
    default void recovered(LockRecoveredEvent event) {}

    /** Called when a lease was lost. */
    default void lost(LockLostEvent event) {}

    /** Called when an owner released its lease, lost ones included. */
    default void released(LockReleasedEvent event) {}

    /** Called when a lock was granted directly to the next waiter in line. */
    default void handedOver(LockHandedOverEvent event) {}
}
