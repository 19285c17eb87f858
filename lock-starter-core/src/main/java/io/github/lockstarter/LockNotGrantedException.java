package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock is not granted within the wait: another owner held it, or an asynchronous grant could not be
 * delivered in time. {@link LockQueueFullException} reports a caller that may not wait. The work under the lock was
 * not run, and nothing of the request remains in the store; the release of other locks of the call may still be under
 * way. A store that does not answer is reported as {@link LockStoreException} instead.
 *
 * <p>Immutable and serializable.
 */
public class LockNotGrantedException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    private final Duration waited;

    private final Duration waitTime;

    private final @Nullable LockHolder holder;

    /** Creates the exception for an unknown holder. The other constructor describes the parameters. */
    public LockNotGrantedException(String message, String lockName, Duration waited, Duration waitTime) {
        this(message, lockName, waited, waitTime, null);
    }

    /**
     * Creates the exception.
     *
     * @param message names the problem and what to do; control characters are replaced
     * @param lockName full name of the lock
     * @param waited how long the caller waited
     * @param waitTime how long the caller was willing to wait: zero, a positive time, or {@link LockRequest#FOREVER}
     * @param holder the instance that held the lock, or {@code null} if it is unknown
     */
    public LockNotGrantedException(
            String message, String lockName, Duration waited, Duration waitTime, @Nullable LockHolder holder) {
        super(message);
        this.lockName = lockName;
        this.waited = waited;
        this.waitTime = waitTime;
        this.holder = holder;
    }

    /** Returns the full name of the lock: the static name, followed by {@code :key} if there is a key. */
    public String lockName() {
        return this.lockName;
    }

    /**
     * Returns how long the caller waited, from the request for this lock to the end of the wait. Never negative. It may
     * be shorter than {@link #waitTime}, and longer by up to one command timeout, in which the store confirms the end.
     * For a single attempt it is the time until the store replied.
     */
    public Duration waited() {
        return this.waited;
    }

    /**
     * Returns how long the caller was willing to wait for this lock: the wait of the request, or the configured one.
     * Zero means a single attempt, {@link LockRequest#FOREVER} ({@code -1} ms) no limit. All locks of one call share
     * one wait; for the second and later locks, this is the rest of it.
     */
    public Duration waitTime() {
        return this.waitTime;
    }

    /**
     * Returns the last known holder of the lock, which may be this instance. If there are several holders, returns one
     * of them. Its application and host are read in the background, and may be missing. For a single attempt, and over
     * the application's own connection to Redis, the holder is known only if it is this instance.
     *
     * @return the holder, or {@code null} if it is unknown
     */
    public @Nullable LockHolder holder() {
        return this.holder;
    }
}
