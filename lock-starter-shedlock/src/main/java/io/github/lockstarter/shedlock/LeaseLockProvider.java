package io.github.lockstarter.shedlock;

import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * The locks of a {@link LockRegistry} for ShedLock. Thread-safe; a lock may be unlocked or extended by another thread than
 * the one that took it, one thread at a time.
 *
 * <p>{@code lockAtMostFor} is a fixed lease that nothing renews: ShedLock cannot tell a task that it has lost its lock, so
 * a lease that an outage of the store can end early would let a second node in beside it. A node that dies blocks the
 * others until then. {@code lockAtLeastFor} counts from the grant and holds even if the node dies. Extending a lock
 * shortens nothing.
 *
 * <p>The lock has ShedLock's name, and is the same that {@code @DistributedLock(name = …)} and
 * {@link LockRegistry#getLock} mean by it.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider {

    private final LockRegistry registry;

    public LeaseLockProvider(LockRegistry registry) {
        this.registry = registry;
    }

    /**
     * Tries once, without waiting.
     *
     * @throws io.github.lockstarter.LockStoreException if the store did not answer or refused; the task is not run
     * @throws LockInterruptedException if the thread is interrupted; its flag is set again
     * @throws IllegalArgumentException if {@code lockAtMostFor} is shorter than 1 ms
     * @throws IllegalStateException if the calling thread holds this lock already by other means than ShedLock
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration lockConfiguration) {
        LockRequest request = LockRequest.of(lockConfiguration.getName())
                .withWaitTime(Duration.ZERO)
                .withLease(lockConfiguration.getLockAtMostFor());
        try {
            return this.registry.tryAcquire(request).map(lease -> new LeaseSimpleLock(lockConfiguration, lease));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "Interrupted while asking for lock '" + request.name() + "' of ShedLock; the task was not run.",
                    ex);
        }
    }
}
