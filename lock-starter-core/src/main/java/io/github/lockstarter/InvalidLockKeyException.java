package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the {@link DistributedLock#key} of an annotated method cannot be evaluated, or when its result cannot name a
 * lock. The message names the key and the method. The method was not run, and no lock was requested.
 */
public class InvalidLockKeyException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which key of which method, and what is wrong with it
     */
    public InvalidLockKeyException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message which key of which method, and what is wrong with it
     * @param cause what the evaluation failed with; null if the result is the problem
     */
    public InvalidLockKeyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
