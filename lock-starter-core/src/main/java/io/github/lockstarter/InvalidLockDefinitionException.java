package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at start-up when a {@link DistributedLock} annotation cannot have the effect that it asks for: its attributes
 * contradict each other, or no lock can be put around the method. The application does not start.
 */
public class InvalidLockDefinitionException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what is wrong, with class and method; a whole sentence
     * @param remedy what to do about it, a whole sentence
     * @param cause what the check failed with; null: nothing was thrown
     */
    public InvalidLockDefinitionException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + " " + remedy, cause);
        this.remedy = remedy;
    }

    /** Returns what to do about the problem, a whole sentence. */
    public String remedy() {
        return this.remedy;
    }
}
