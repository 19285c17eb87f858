package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An owner gave its lease back.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the grant
 * @param acquisitionId id of the grant in the store
 * @param outcome what became of it
 * @param heldFor from the grant to the release
 * @param cause why the store could not be asked; null unless the outcome is {@code ERROR}
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

    /** What becomes of a release. */
    public enum Outcome {
        /** The lock was ours until now. */
        RELEASED,
        /** The lease had been lost, or the store said that the lock is not ours any more. */
        LOST,
        /** The store did not answer; the release goes on in the background. */
        ERROR
    }
}
