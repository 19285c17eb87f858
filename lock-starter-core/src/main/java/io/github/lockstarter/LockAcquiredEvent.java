package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a lease was granted.
 *
 * @param grant the grant that the event is about
 * @param waited time from the request to the grant
 */
public record LockAcquiredEvent(LockEvent.Grant grant, Duration waited) implements LockEvent.OfGrant {}
