package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The ways to ask a registry for a lock; some of those who ask lose their patience. */
final class Ways implements AutoCloseable {

    private final LockRegistry registry;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    Ways(LockRegistry registry) {
        this.registry = registry;
    }

    /** Mostly the plain one. */
    LockSource any(Random random) {
        Duration patience = Duration.ofMillis(random.nextInt(800));
        return switch (random.nextInt(8)) {
            case 0 -> request -> interrupted(request, patience);
            case 1, 2 -> request -> cancelled(request, patience);
            default -> this.registry::tryAcquire;
        };
    }

    private Optional<Lease> interrupted(LockRequest request, Duration patience) throws InterruptedException {
        Thread waiter = Thread.currentThread();
        ScheduledFuture<?> interrupt =
                this.timer.schedule(waiter::interrupt, patience.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return this.registry.tryAcquire(request);
        } finally {
            interrupt.cancel(false);
            // it may have come too late
            Thread.interrupted();
        }
    }

    private Optional<Lease> cancelled(LockRequest request, Duration patience) throws InterruptedException {
        CompletableFuture<Lease> lease = this.registry.acquireAsync(request).toCompletableFuture();
        try {
            try {
                return Optional.of(lease.get(patience.toMillis(), TimeUnit.MILLISECONDS));
            } catch (TimeoutException ex) {
                if (lease.cancel(true)) {
                    throw new CancellationException();
                }
                return Optional.of(lease.get());
            }
        } catch (ExecutionException ex) {
            if (ex.getCause() instanceof LockNotGrantedException) {
                return Optional.empty();
            }
            throw (LockException) ex.getCause();
        }
    }

    @Override
    public void close() {
        this.timer.shutdownNow();
    }
}
