package io.github.lockstarter;

import java.time.Duration;

/**
 * Thrown when a lock is not granted within the wait: another owner held it, or an asynchronous grant could not be
 * delivered in time. The work under the lock was not run, and nothing of the request is left in the store. A store that
 * does not answer is reported as {@link LockStoreException} instead.
 *
 * <p>Immutable and serializable.
 */
public class LockNotGrantedException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    private final Duration waited;

    private final Duration waitTime;

    /**
     * Creates the exception.
     *
     * @param message what happened and what to do; control characters are replaced
     * @param lockName full name of the lock
     * @param waited how long the caller waited
     * @param waitTime how long the caller was willing to wait: zero, a positive time, or {@link LockRequest#FOREVER}
     */
    public LockNotGrantedException(String message, String lockName, Duration waited, Duration waitTime) {
        super(message);
        this.lockName = lockName;
        this.waited = waited;
        this.waitTime = waitTime;
    }

    /** Returns the full name of the lock: the static name, and {@code :key} where there is a key. */
    public String lockName() {
        return this.lockName;
    }

    /**
     * Returns how long the caller waited, from the request for this lock to the refusal. Never negative. It may be shorter
     * than {@link #waitTime}, and longer by up to one command timeout, within which the store confirms the refusal. A
     * request that tried once has waited for the answer of the store.
     */
    public Duration waited() {
        return this.waited;
    }

    /**
     * Returns how long the caller was willing to wait for this lock: the wait of the request, or the configured one. Zero:
     * the request tried once. {@link LockRequest#FOREVER} ({@code -1} ms): without end. All locks of one call share one
     * wait, so for any but the first of them this is what was left of it.
     */
    public Duration waitTime() {
        return this.waitTime;
    }
}
