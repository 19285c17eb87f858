package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** Thrown when the store does not answer or rejects a command. Whether another owner holds the lock is unknown then. */
public class LockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    private final boolean transientFailure;

    /**
     * Creates the exception.
     *
     * @param message names the lock, the problem and what to do; control characters are replaced
     * @param cause the failure of the store; null if nothing was thrown
     * @param outcomeUnknown whether the command may have been executed nevertheless
     * @param transientFailure whether the same call may succeed later
     */
    public LockStoreException(
            String message, @Nullable Throwable cause, boolean outcomeUnknown, boolean transientFailure) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
        this.transientFailure = transientFailure;
    }

    /**
     * Returns whether the command may have been executed although there was no reply. The library then reverts its
     * possible effect in the background; until that has succeeded the lock may be taken, at most for one lease.
     */
    public boolean isOutcomeUnknown() {
        return this.outcomeUnknown;
    }

    /** Returns whether the same call may succeed later without a change of configuration or data. */
    public boolean isTransient() {
        return this.transientFailure;
    }
}
