package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the {@link DistributedLock#condition} of an annotated method cannot be evaluated, or is neither true nor
 * false. The message names the condition and the method. The method was not run: it is unknown whether it needs its lock.
 */
public class InvalidLockConditionException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message which condition of which method, and what is wrong with it
     * @param cause what the evaluation failed with; null if the result is the problem
     */
    public InvalidLockConditionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
