package io.github.lockstarter;

/** The lock was granted, but can no longer be relied on: what was done under it may have run beside another owner. */
public class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    private final long fencingToken;

    private final LossReason reason;

    public LockLostException(String message, String lockName, long fencingToken, LossReason reason) {
        super(message);
        this.lockName = lockName;
        this.fencingToken = fencingToken;
        this.reason = reason;
    }

    /** Full name of the lock. */
    public String lockName() {
        return this.lockName;
    }

    /** Token of the grant that was lost. */
    public long fencingToken() {
        return this.fencingToken;
    }

    /** Why it was lost. */
    public LossReason reason() {
        return this.reason;
    }
}
