package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** Thrown when the store does not answer, or refuses a command. It is unknown then whether another owner holds the lock. */
public class LockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    private final boolean transientFailure;

    /**
     * Creates the exception.
     *
     * @param message which lock, what happened and what to do; control characters are replaced
     * @param cause what the store failed with; null: nothing was thrown
     * @param outcomeUnknown whether the command may have been executed all the same
     * @param transientFailure whether the same call may succeed later
     */
    public LockStoreException(
            String message, @Nullable Throwable cause, boolean outcomeUnknown, boolean transientFailure) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
        this.transientFailure = transientFailure;
    }

    /**
     * Returns whether the command may have been executed although no answer came. The library then takes back what the
     * command may have done; until that has succeeded the lock can be blocked, at worst for one lease.
     */
    public boolean isOutcomeUnknown() {
        return this.outcomeUnknown;
    }

    /** Returns whether the same call may succeed later without a change of configuration or data. */
    public boolean isTransient() {
        return this.transientFailure;
    }
}
