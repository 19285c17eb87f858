package io.github.lockstarter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a caller would have to wait for a lock, and as many callers of its instance wait for it as {@link
 * DistributedLock#maxWaiters} allows. The message names the limit.
 *
 * <p>Immutable and serializable.
 */
public class LockQueueFullException extends LockNotGrantedException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The constructor of the superclass describes the parameters. */
    public LockQueueFullException(
            String message, String lockName, Duration waited, Duration waitTime, @Nullable LockHolder holder) {
        super(message, lockName, waited, waitTime, holder);
    }
}
