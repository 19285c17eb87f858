package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A semaphore as a view of the registry. This view has no state. */
final class Permits implements LeaseSemaphore {

    private final LockRegistry registry;

    private final Supplier<StoredLocks> store;

    private final LoggedNames names;

    private final LockRequest request;

    /**
     * Creates a view.
     *
     * @param store supplies the stored locks of a registry, which is started if necessary
     * @param request a request for one permit
     */
    Permits(LockRegistry registry, Supplier<StoredLocks> store, LoggedNames names, LockRequest request) {
        this.registry = registry;
        this.store = store;
        this.names = names;
        this.request = request;
    }

    private LockRequest requestOf(int weight) {
        return weight == 1 ? this.request : this.request.withPermits(weight, permits());
    }

    @Override
    public String name() {
        return this.request.lockName();
    }

    @Override
    public int permits() {
        return this.request.permits();
    }

    @Override
    public Lease acquire(int weight) throws InterruptedException {
        return this.registry.acquire(requestOf(weight));
    }

    @Override
    public Optional<Lease> tryAcquire(int weight, Duration waitTime) throws InterruptedException {
        return this.registry.tryAcquire(requestOf(weight).withWaitTime(waitTime));
    }

    @Override
    public Optional<Lease> tryAcquire(int weight, Duration waitTime, Duration lease) throws InterruptedException {
        return this.registry.tryAcquire(requestOf(weight).withWaitTime(waitTime).withLease(lease));
    }

    @Override
    public CompletionStage<Lease> acquireAsync(int weight) {
        return this.registry.acquireAsync(requestOf(weight));
    }

    @Override
    public int availablePermits() {
        return Math.max(0, permits() - this.store.get().used(name()));
    }

    @Override
    public String toString() {
        return "LeaseSemaphore[" + this.names.of(name()) + ", permits=" + permits() + ']';
    }
}
