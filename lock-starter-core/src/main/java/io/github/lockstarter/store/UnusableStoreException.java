package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;

/** Thrown at start-up if the store lacks what each lock needs, so that the start must fail. */
public final class UnusableStoreException extends LockStoreException {

    private static final long serialVersionUID = 1L;

    private final String problem;

    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what is missing, complete sentences
     * @param remedy what to do, complete sentences
     */
    public UnusableStoreException(String problem, String remedy) {
        super(problem + ' ' + remedy, null, false, false);
        this.problem = problem;
        this.remedy = remedy;
    }

    /** Returns what is missing, without the remedy. */
    public String problem() {
        return this.problem;
    }

    /** Returns what to do. */
    public String remedy() {
        return this.remedy;
    }
}
