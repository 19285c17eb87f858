package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when it is unknown whether a transaction belongs to the present owner of its lock, or when its lease is too
 * old to be fenced. The transaction does not commit. The exception does not mean a loss: the lease may still be held.
 * Immutable.
 */
public class FenceException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    private final long fencingToken;

    /**
     * Creates the exception.
     *
     * @param message names the lock, the row, the problem and what to do; control characters are replaced
     * @param cause the failure of the database, or {@code null} if its answer is the problem
     * @param lockName full name of the lock
     * @param fencingToken token of the grant
     */
    public FenceException(String message, @Nullable Throwable cause, String lockName, long fencingToken) {
        super(message, cause);
        this.lockName = lockName;
        this.fencingToken = fencingToken;
    }

    /** Returns the full name of the lock. */
    public String lockName() {
        return this.lockName;
    }

    /** Returns the token of the grant. */
    public long fencingToken() {
        return this.fencingToken;
    }
}
