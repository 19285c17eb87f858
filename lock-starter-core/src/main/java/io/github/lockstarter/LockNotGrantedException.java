package io.github.lockstarter;

/** The lock was held by somebody else for the whole wait. Nothing was run, and nothing is left in the store. */
public class LockNotGrantedException extends LockException {

    private static final long serialVersionUID = 1L;

    public LockNotGrantedException(String message) {
        super(message);
    }
}
