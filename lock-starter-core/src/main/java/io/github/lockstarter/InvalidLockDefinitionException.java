package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at start-up when locks cannot take effect as they are defined: attributes of a {@link DistributedLock} or
 * {@link DistributedSemaphore} annotation contradict each other, its method cannot be intercepted, or transactions
 * cannot be fenced. The application does not start.
 */
public class InvalidLockDefinitionException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem the problem, a complete sentence
     * @param remedy what to do, a complete sentence
     * @param cause the failure of the check; null if there is none
     */
    public InvalidLockDefinitionException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + " " + remedy, cause);
        this.remedy = remedy;
    }

    /** Returns what to do about the problem, a complete sentence. */
    public String remedy() {
        return this.remedy;
    }
}
