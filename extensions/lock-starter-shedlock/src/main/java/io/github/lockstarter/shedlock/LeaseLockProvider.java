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
 * Adapts a {@link LockRegistry} to ShedLock. Thread-safe. A lock may be unlocked or extended by another thread than the
 * one that acquired it, but not by several threads at the same time.
 *
 * <p>{@code lockAtMostFor} is a fixed lease that is never renewed: ShedLock cannot notify a task of the loss of its
 * lock. After the early end of a renewed lease, in an outage of the store, a second node could therefore run the task
 * as well. If a node dies, its lock is taken until the end of the lease. {@code lockAtLeastFor} counts from the grant,
 * and applies even if the node dies. An extension never shortens the lease.
 *
 * <p>The lock has the name that ShedLock uses: it is the same lock as the lock of {@code @DistributedLock(name = …)}
 * and {@link LockRegistry#getLock} with this name.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider {

    private final LockRegistry registry;

    /** Creates a provider of the registry's locks. */
    public LeaseLockProvider(LockRegistry registry) {
        this.registry = registry;
    }

    /**
     * Makes one attempt to acquire the lock, without waiting.
     *
     * @throws io.github.lockstarter.LockStoreException if the store does not answer or rejects the command; the task is
     *     not run
     * @throws LockInterruptedException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code lockAtMostFor} is shorter than 1 ms
     * @throws IllegalStateException if the calling thread holds this lock already, acquired without ShedLock
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
                    "Interrupted while acquiring lock '" + request.name() + "' for ShedLock; the task was not run.",
                    ex);
        }
    }
}
