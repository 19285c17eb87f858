package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Superclass of the exceptions of locks. The message names the lock and what to do. It is one printable line: control
 * characters, for example in the name of a lock or in the reply of a server, are replaced by their escapes.
 */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception without a cause. */
    public LockException(String message) {
        super(Printable.of(message));
    }

    /** Creates the exception with a cause; null if there is none. */
    public LockException(String message, @Nullable Throwable cause) {
        super(Printable.of(message), cause);
    }
}
