package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the {@link DistributedLock#condition} of an annotated method cannot be evaluated, or is neither true nor
 * false. The message names the condition and the method. The method was not run.
 */
public class InvalidLockConditionException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the condition, the method and the problem; control characters are replaced
     * @param cause the failure of the evaluation; null if the result is the problem
     */
    public InvalidLockConditionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
