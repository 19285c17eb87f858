package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when an owner released its lease.
 *
 * @param grant the grant that the event is about
 * @param outcome result of the release
 * @param heldFor time from the grant to the release
 * @param cause why the store did not answer; null unless the outcome is {@code ERROR}
 */
public record LockReleasedEvent(
        LockEvent.Grant grant,
        Outcome outcome,
        Duration heldFor,
        @Nullable Throwable cause) implements LockEvent.OfGrant {

    /** Results of a release. */
    public enum Outcome {
        /** The lock was held until the release. */
        RELEASED,
        /** The lease had been lost, or the store reported another owner or none. */
        LOST,
        /** The store did not answer; the release is retried in the background. */
        ERROR
    }
}
