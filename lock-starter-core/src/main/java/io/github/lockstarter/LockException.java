package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Base of everything that goes wrong with a lock. The message names the lock and what to do. It is one printable line:
 * control characters in the name of a lock or in the answer of a server appear as their numbers.
 */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LockException(String message) {
        super(Printable.of(message));
    }

    public LockException(String message, @Nullable Throwable cause) {
        super(Printable.of(message), cause);
    }
}
