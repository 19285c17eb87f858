package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** The store did not answer, or refused. */
public class LockStoreException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    private final boolean transientFailure;

    public LockStoreException(
            String message, @Nullable Throwable cause, boolean outcomeUnknown, boolean transientFailure) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
        this.transientFailure = transientFailure;
    }

    /**
     * Whether the command may have been executed although no answer came. The library then takes back what the command
     * may have done; until that has succeeded the lock can be blocked, at worst for one lease.
     */
    public boolean isOutcomeUnknown() {
        return this.outcomeUnknown;
    }

    /** Whether the same call may succeed later without a change of configuration or data. */
    public boolean isTransient() {
        return this.transientFailure;
    }
}
