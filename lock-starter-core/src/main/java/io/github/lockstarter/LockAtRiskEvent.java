package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when a renewal failed or is late: the lease is still held, but not confirmed. Also published as an
 * application event.
 *
 * @param grant the grant that the event is about
 * @param remaining time until the lease is lost unless a renewal succeeds
 * @param cause why the renewal failed, or {@code null} if the store has not replied yet
 */
public record LockAtRiskEvent(
        LockEvent.Grant grant, Duration remaining, @Nullable Throwable cause) implements LockEvent.OfGrant {}
