package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the {@link DistributedLock#key} of an annotated method cannot be evaluated, or when its result cannot be
 * the key of a lock. The message names the key and the method. The method was not run, and no lock was requested.
 */
public class InvalidLockKeyException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the key, the method and the problem; control characters are replaced
     */
    public InvalidLockKeyException(String message) {
        super(message);
    }

    /**
     * Creates the exception.
     *
     * @param message names the key, the method and the problem; control characters are replaced
     * @param cause the failure of the evaluation; null if the result is the problem
     */
    public InvalidLockKeyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
