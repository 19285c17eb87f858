package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a renewal succeeded after the lease was at risk.
 *
 * @param grant the grant that the event is about
 * @param remaining time until the lease expires unless it is renewed again
 */
public record LockRecoveredEvent(LockEvent.Grant grant, Duration remaining) implements LockEvent.OfGrant {}
