package io.github.lockstarter.lock;

import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * How a wait ended without a grant.
 *
 * @param cause why it ended
 * @param failure the failure of the store that is the cause; null if the cause is another one, or if the store did not
 *     answer in time
 * @param owner id of the owner in the last reply of the store; null: unknown
 * @param used sum of the weights of the holders in that reply; 0: an exclusive owner, or unknown
 * @param mayBeGranted whether a command for the wait had no usable reply, so that the store may grant the lock without
 *     an owner for up to one lease
 */
public record Refusal(
        Cause cause,
        @Nullable LockStoreException failure,
        @Nullable String owner,
        int used,
        boolean mayBeGranted) {

    public enum Cause {
        /** The lock was held by others when the time of the wait was up: a fact, not an assumption. */
        HELD_BY_OTHERS(Outcome.TIMEOUT),
        /** It is unknown whether the lock was held, because the store did not answer or rejected the command. */
        STORE_FAILED(Outcome.ERROR),
        /** The waiter was withdrawn: interrupted or cancelled. */
        WITHDRAWN(Outcome.INTERRUPTED),
        /** The engine has stopped. */
        STOPPED(Outcome.ERROR);

        /** What observers are notified of. */
        public final Outcome outcome;

        Cause(Outcome outcome) {
            this.outcome = outcome;
        }
    }
}
