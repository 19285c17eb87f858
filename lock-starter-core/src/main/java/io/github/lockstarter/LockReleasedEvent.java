package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An owner released its lease.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param outcome how the release ended
 * @param heldFor from the grant to the release
 * @param cause why the store did not answer; null unless the outcome is {@code ERROR}
 */
public record LockReleasedEvent(
        String name,
        String key,
        long fencingToken,
        String acquisitionId,
        Outcome outcome,
        Duration heldFor,
        @Nullable Throwable cause)
        implements LockEvent {

    /** How a release ends. */
    public enum Outcome {
        /** The lock was held until now. */
        RELEASED,
        /** The lease had been lost, or the store reported another owner or none. */
        LOST,
        /** The store did not answer; the release is retried in the background. */
        ERROR
    }
}
