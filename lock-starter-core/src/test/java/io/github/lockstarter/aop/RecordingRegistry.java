package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.tx.EnclosingTransaction;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** Grants all requests immediately and records the calls. */
public final class RecordingRegistry implements LockRegistry {

    private static final LockSettings DEFAULTS = LockSettings.of(Duration.ofSeconds(30));

    public final List<String> events = new CopyOnWriteArrayList<>();

    public final List<LockRequest> requests = new CopyOnWriteArrayList<>();

    public final List<Thread> threads = new CopyOnWriteArrayList<>();

    public boolean interruptsWaits;

    @Override
    public <T, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body) throws E {
        this.requests.add(request);
        this.threads.add(Thread.currentThread());
        if (this.interruptsWaits) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException("interrupted", new InterruptedException("while waiting"));
        }
        this.events.add("lock " + request.lockName());
        try {
            Lease lease = lease(request.lockName(), this.requests.size());
            return EnclosingTransaction.holding(this, request, DEFAULTS, body).run(lease);
        } finally {
            this.events.add("unlock " + request.lockName());
        }
    }

    @Override
    public <T, E extends Throwable> T execute(Collection<LockRequest> requests, LockedCallback<T, E> body) {
        throw new UnsupportedOperationException();
    }

    public LockRequest request() {
        return this.requests.get(this.requests.size() - 1);
    }

    @Override
    public LeaseLock getLock(String staticName, String key) {
        String name = LockRequest.of(staticName, key).lockName();
        return (LeaseLock) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeaseLock.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getHoldCount")) {
                        return 0;
                    }
                    if (method.getName().equals("currentLease")) {
                        return lease(name, this.requests.size());
                    }
                    this.events.add(method.getName() + " of kept " + name);
                    return null;
                });
    }

    @Override
    public LeaseReadWriteLock getReadWriteLock(String name, String key) {
        throw new UnsupportedOperationException();
    }

    /** The holds of one mode are those of all. */
    @Override
    public LeaseLock getOwnedLock(LockRequest request) {
        return getLock(request.lockName());
    }

    @Override
    public LeaseSemaphore getSemaphore(String name, String key, int permits) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Lease acquire(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Lease> acquireAsync(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    private static Lease lease(String name, long token) {
        return (Lease) Proxy.newProxyInstance(
                RecordingRegistry.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "name" -> name;
                    case "fencingToken" -> token;
                    case "state" -> Lease.State.HELD;
                    case "isHeld", "release", "releaseAfter" -> true;
                    case "remaining" -> Duration.ofSeconds(30);
                    case "lost" -> new CompletableFuture<>();
                    case "releaseAsync" -> CompletableFuture.completedStage(true);
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                });
    }
}
