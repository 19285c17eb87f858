package io.github.lockstarter.testsupport.history;

/** A library could not acquire or release a lock, for example because Redis did not answer. */
public final class LockFailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    /** Creates it with the exception of the library, and whether the command may have been executed. */
    public LockFailureException(RuntimeException cause, boolean outcomeUnknown) {
        super(String.valueOf(cause.getMessage()), cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    boolean isOutcomeUnknown() {
        return this.outcomeUnknown;
    }
}
