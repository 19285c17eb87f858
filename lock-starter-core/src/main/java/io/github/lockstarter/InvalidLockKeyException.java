package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** The key of an annotated method cannot be evaluated, or its result cannot name a lock. */
public class InvalidLockKeyException extends LockException {

    private static final long serialVersionUID = 1L;

    public InvalidLockKeyException(String message) {
        super(message);
    }

    public InvalidLockKeyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
