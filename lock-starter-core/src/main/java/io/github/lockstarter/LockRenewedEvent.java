package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when a renewal succeeded.
 *
 * @param grant the grant that the event is about
 * @param took time from sending the command to its reply
 */
public record LockRenewedEvent(LockEvent.Grant grant, Duration took) implements LockEvent.OfGrant {}
