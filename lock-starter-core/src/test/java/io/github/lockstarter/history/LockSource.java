package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import java.util.Optional;

/** Where locks come from: the registry, or something that is broken on purpose. */
@FunctionalInterface
interface LockSource {

    /** As {@link io.github.lockstarter.LockRegistry#tryAcquire}. */
    Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException;
}
