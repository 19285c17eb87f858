package io.github.lockstarter.integration;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import java.util.concurrent.locks.Lock;

/**
 * Adapts a {@link LockRegistry} to Spring Integration 6.5, the version of Spring Boot 3.5. Its locks have no methods
 * with a time to live, which that version does not support; everything else is as in {@link IntegrationLockRegistry},
 * which cannot be loaded there.
 */
public final class Integration6LockRegistry extends AbstractIntegrationLockRegistry<Lock> {

    /** Creates a registry whose locks have the names {@code integration:<key>}. */
    public Integration6LockRegistry(LockRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * Creates a registry whose locks have the names {@code <prefix>:<key>}.
     *
     * @param prefix not blank, without a colon, at most 128 characters
     */
    public Integration6LockRegistry(LockRegistry registry, String prefix) {
        super(registry, prefix);
    }

    @Override
    Lock adapt(LeaseLock lock) {
        return new IntegrationLock(lock);
    }
}
