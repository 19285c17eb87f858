package io.github.lockstarter.integration;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import java.util.ConcurrentModificationException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Adapts a {@link LockRegistry} to Spring Integration 7: leader election, aggregators, file handlers. Thread-safe.
 *
 * <p>Locks are owned by threads and reentrant. Unless a lock is acquired with a time to live, the watchdog renews it.
 * After a loss, locking again throws {@link io.github.lockstarter.LockLostException}, so that a leader resigns at its
 * next heartbeat, and the outermost {@code unlock()} throws {@link ConcurrentModificationException}, as with the other
 * registries of Spring Integration; the thread may lock again then. If the store does not answer, {@code lock()} and
 * {@code lockInterruptibly()} retry without limit, and the other methods throw {@link
 * io.github.lockstarter.LockStoreException} at the end of their wait. Conditions are not supported.
 *
 * <p>Keys are strings, or objects whose text is the same in every JVM. The name of the lock for key {@code k} is
 * {@code integration:k}; {@code getLock("integration:k").currentLease()} of the adapted registry has its fencing token.
 */
public final class IntegrationLockRegistry extends AbstractIntegrationLockRegistry<DistributedLock> {

    /** Creates a registry whose locks have the names {@code integration:<key>}. */
    public IntegrationLockRegistry(LockRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * Creates a registry whose locks have the names {@code <prefix>:<key>}.
     *
     * @param prefix not blank, without a colon, at most 128 characters
     */
    public IntegrationLockRegistry(LockRegistry registry, String prefix) {
        super(registry, prefix);
    }

    @Override
    DistributedLock adapt(LeaseLock lock) {
        return new DistributedIntegrationLock(lock);
    }
}
