package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when a wait ended without a grant.
 *
 * @param request what was requested
 * @param outcome how the wait ended
 * @param waited time from the request to the end of the wait
 * @param cause why the store did not answer; {@code null} unless the outcome is {@code ERROR}
 */
public record LockNotAcquiredEvent(
        LockRequest request,
        Outcome outcome,
        Duration waited,
        @Nullable Throwable cause) implements LockEvent {

    /** Reasons for the end of a wait without a grant. */
    public enum Outcome {
        /** Another owner held the lock until the end of the wait. */
        TIMEOUT,
        /**
         * Another owner held the lock until the end of the wait, and the caller goes on without it: an annotated method
         * with {@code onNotGranted = SKIP}, or a {@code tryLock} or {@code tryAcquire} that does not wait.
         */
        SKIPPED,
        /** As many callers of this instance waited for the lock as {@code maxWaiters} allows. */
        QUEUE_FULL,
        /** The thread was interrupted, or the future was cancelled. */
        INTERRUPTED,
        /** The store did not answer or rejected the command, or the registry was stopped. */
        ERROR
    }
}
