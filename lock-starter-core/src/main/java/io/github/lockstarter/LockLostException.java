package io.github.lockstarter;

/**
 * Thrown when a lease has been lost: the lock was granted, but is no longer held. Work under it may have run at the
 * same time as the work of another owner. Immutable.
 */
public class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    private final long fencingToken;

    private final LossReason reason;

    /**
     * Creates the exception.
     *
     * @param message names the problem and what to do; control characters are replaced
     * @param lockName full name of the lock
     * @param fencingToken token of the grant that was lost
     * @param reason why the lease was lost
     */
    public LockLostException(String message, String lockName, long fencingToken, LossReason reason) {
        super(message);
        this.lockName = lockName;
        this.fencingToken = fencingToken;
        this.reason = reason;
    }

    /** Returns the full name of the lock. */
    public String lockName() {
        return this.lockName;
    }

    /** Returns the token of the grant that was lost. */
    public long fencingToken() {
        return this.fencingToken;
    }

    /** Returns why the lease was lost. */
    public LossReason reason() {
        return this.reason;
    }
}
