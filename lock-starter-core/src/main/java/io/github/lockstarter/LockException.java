package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/** Base of everything that goes wrong with a lock. The message names the lock and what to do. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LockException(String message) {
        super(message);
    }

    public LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
