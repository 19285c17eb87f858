package io.github.lockstarter;

/**
 * Is notified of events of locks. Every bean of this type is called.
 *
 * <p>Listeners are called one after the other on a thread of the library that reads a bounded queue: they cannot delay
 * locks, and their exceptions are logged. If listeners are so slow that the queue is full, events are dropped and
 * counted in the meter {@code distributed.lock.events.dropped}, and a warning names the running listener. The events of
 * one lease are delivered in their order.
 *
 * <p>The thread ends when the registry stops, before any bean is destroyed. The stop reports the leases that are still
 * held as lost, with the reason {@link LossReason#SHUTDOWN}, and waits up to one second for the delivery of the events
 * in the queue. Later events, such as the release of a lock in a method that is annotated with {@code @PreDestroy}, are
 * not delivered; they are still logged and recorded in meters.
 */
public interface LockListener {

    /** Called when a lease was granted, except for nested holds. */
    default void acquired(LockAcquiredEvent event) {}

    /** Called when a wait ended without a grant. */
    default void notAcquired(LockNotAcquiredEvent event) {}

    /** Called when a renewal succeeded. */
    default void renewed(LockRenewedEvent event) {}

    /**
     * Called when a renewal failed. It is retried while the lease lasts, unless the store reported that the lock has
     * another owner or none.
     */
    default void renewalFailed(LockRenewalFailedEvent event) {}

    /** Called when the last renewal of a lease that is still held failed or is late. */
    default void atRisk(LockAtRiskEvent event) {}

    /** Called when a lease that was at risk has been renewed. */
    default void recovered(LockRecoveredEvent event) {}

    /** Called when the owner of a lease is asked to release it, once for each lease. */
    default void releaseRequested(LockReleaseRequestedEvent event) {}

    /** Called when a lease was lost. */
    default void lost(LockLostEvent event) {}

    /** Called when an owner released its lease, including lost ones. */
    default void released(LockReleasedEvent event) {}

    /** Called when the release of a lock granted it directly to the next waiter. */
    default void handedOver(LockHandedOverEvent event) {}
}
