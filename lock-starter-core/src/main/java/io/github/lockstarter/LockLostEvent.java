package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a lease was lost before its release. Also published as an application event.
 *
 * @param grant the grant that the event is about
 * @param reason why the lease was lost
 * @param heldFor time from the grant to the loss
 */
public record LockLostEvent(LockEvent.Grant grant, LossReason reason, Duration heldFor) implements LockEvent.OfGrant {}
