package io.github.lockstarter;

/**
 * Thrown when a thread is interrupted while it waits for a lock where {@link InterruptedException} cannot be thrown: in
 * {@link LockRegistry#execute}, and in annotated methods that do not declare it. The interrupt flag of the thread is
 * set, the work under the lock was not run, and nothing of the request remains in the store.
 */
public class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the wait that was interrupted; control characters are replaced
     * @param cause the interruption
     */
    public LockInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
