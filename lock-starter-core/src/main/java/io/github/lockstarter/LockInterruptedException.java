package io.github.lockstarter;

/**
 * The thread was interrupted while it waited for the lock of a method that does not declare
 * {@link InterruptedException}. The interrupt flag is set again.
 */
public class LockInterruptedException extends LockException {

    private static final long serialVersionUID = 1L;

    public LockInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
