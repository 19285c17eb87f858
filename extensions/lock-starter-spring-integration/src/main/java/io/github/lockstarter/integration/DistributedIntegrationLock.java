package io.github.lockstarter.integration;

import io.github.lockstarter.LeaseLock;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock with the type that Spring Integration 7 introduced, and that version 6 does not have. */
final class DistributedIntegrationLock extends IntegrationLock implements DistributedLock {

    DistributedIntegrationLock(LeaseLock lock) {
        super(lock);
    }
}
