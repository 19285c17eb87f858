package io.github.lockstarter.lock;

import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a wait that has ended without a grant.
 *
 * @param cause why the wait ended
 * @param failure the failure of the store that is the cause, or {@code null} if there is another cause or the store did
 *     not answer in time
 * @param owner id of the owner in the last reply of the store, or {@code null} if it is unknown
 * @param used sum of the weights of the holders in that reply, or 0 if the owner is exclusive or the sum is unknown
 * @param mayBeGranted whether a command for the wait had no usable reply, in which case the store may grant the lock
 *     without an owner for up to one lease
 */
public record Refusal(
        Cause cause,
        @Nullable LockStoreException failure,
        @Nullable String owner,
        int used,
        boolean mayBeGranted) {

    /** Returns whether nothing has failed: others held the lock, or too many callers wait for it. */
    public boolean isNotGranted() {
        return this.cause == Cause.HELD_BY_OTHERS || this.cause == Cause.QUEUE_FULL;
    }

    public enum Cause {
        /** The store has confirmed that others held the lock when the time of the wait was up. */
        HELD_BY_OTHERS(Outcome.TIMEOUT),
        /** It is unknown whether the lock was held, because the store did not answer or has rejected the command. */
        STORE_FAILED(Outcome.ERROR),
        /** As many callers of this JVM wait for the lock as the request allows. */
        QUEUE_FULL(Outcome.QUEUE_FULL),
        /** The waiter was withdrawn, because it was interrupted or cancelled. */
        WITHDRAWN(Outcome.INTERRUPTED),
        /** The engine has stopped. */
        STOPPED(Outcome.ERROR);

        /** The outcome that observers are notified of. */
        public final Outcome outcome;

        Cause(Outcome outcome) {
            this.outcome = outcome;
        }
    }
}
