package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A wait ended without a grant.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param outcome how the wait ended
 * @param waited from the call to its end
 * @param cause why the store did not answer; null unless the outcome is {@code ERROR}
 */
public record LockNotAcquiredEvent(
        String name,
        String key,
        Outcome outcome,
        Duration waited,
        @Nullable Throwable cause) implements LockEvent {

    /** How a wait ends without a grant. */
    public enum Outcome {
        /** Another owner held the lock until the end of the wait. */
        TIMEOUT,
        /** The thread was interrupted, or the future cancelled. */
        INTERRUPTED,
        /** The store did not answer or refused, or the registry was stopped. */
        ERROR
    }
}
