package io.github.lockstarter;

import java.time.Duration;

/**
 * Published when the owner of a lease is asked to release it, once for each lease. Also published as an application
 * event. The lease stays held, and its owner decides what to do.
 *
 * @param grant the grant that the event is about
 * @param heldFor time from the grant to the request
 * @see LockRegistry#requestRelease
 */
public record LockReleaseRequestedEvent(LockEvent.Grant grant, Duration heldFor) implements LockEvent.OfGrant {}
