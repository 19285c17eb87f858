package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when an owner released its lease.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param outcome result of the release
 * @param heldFor time from the grant to the release
 * @param cause why the store did not answer; null unless the outcome is {@code ERROR}
 */
public record LockReleasedEvent(
        String name,
        String key,
        LockMode mode,
        long fencingToken,
        String acquisitionId,
        Outcome outcome,
        Duration heldFor,
        @Nullable Throwable cause)
        implements LockEvent {

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
