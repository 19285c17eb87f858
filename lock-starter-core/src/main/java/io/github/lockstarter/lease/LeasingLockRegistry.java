package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.lease.ThreadOwnedLock.View;
import io.github.lockstarter.lease.acquire.AcquireObserver;
import io.github.lockstarter.lease.event.MeterListener;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Grants locks as leases in a {@link LockStore}, which a watchdog renews. Thread-safe.
 *
 * <p>Starts with the application context, or at the first use before that. Stops after the web server and the task
 * schedulers, but before the connections of the store: it then refuses new acquisitions, waits for running bodies up to
 * the shutdown timeout, and notifies the owners of locks that are still held of their loss. Can be started again.
 */
public final class LeasingLockRegistry
        implements LockRegistry, LockInventory, SmartLifecycle, DisposableBean, RegistryStatistics {

    /** After web servers and task schedulers (higher), before connection factories (0). */
    public static final int PHASE = Integer.MAX_VALUE / 4;

    private static final LockLog logger = LockLog.of(LeasingLockRegistry.class);

    private final LockStore store;

    private final LockSettings settings;

    private final @Nullable MeterListener meters;

    private final List<LockListener> listeners;

    private final AcquireObserver observer;

    private final LeaseClock clock;

    private final ThreadHolds holds = new ThreadHolds();

    private final ReentrantLock lifecycle = new ReentrantLock();

    private volatile @Nullable RegistryRun run;

    private volatile boolean running;

    /** Creates a registry whose acquisitions are not observed. */
    public LeasingLockRegistry(
            LockStore store, LockSettings settings, @Nullable MeterListener meters, List<LockListener> listeners) {
        this(store, settings, meters, listeners, (AcquireObserver) null);
    }

    /**
     * Creates a registry, which uses no resources before it is started or used.
     *
     * @param store keeps the grants
     * @param settings times and limits
     * @param meters is called on the thread of each event, and must neither block nor throw; null: none
     * @param listeners are called on the listener thread
     * @param observer observes acquisitions, on their threads; null: none
     */
    public LeasingLockRegistry(
            LockStore store,
            LockSettings settings,
            @Nullable MeterListener meters,
            List<LockListener> listeners,
            @Nullable AcquireObserver observer) {
        this(store, settings, meters, listeners, observer, LeaseClock.SYSTEM);
    }

    LeasingLockRegistry(
            LockStore store,
            LockSettings settings,
            @Nullable MeterListener meters,
            List<LockListener> listeners,
            @Nullable AcquireObserver observer,
            LeaseClock clock) {
        this.store = store;
        this.settings = settings;
        this.meters = meters;
        this.listeners = List.copyOf(listeners);
        this.observer = observer != null ? observer : AcquireObserver.NONE;
        this.clock = clock;
    }

    @Override
    public LeaseLock getLock(String name) {
        return lock(this.settings.complete(LockRequest.of(name)), View.PLAIN);
    }

    @Override
    public LeaseLock getOwnedLock(LockRequest request) {
        LockRequest plain = LockRequest.of(request.name(), request.key());
        return switch (request.mode()) {
            case WRITE -> lock(plain, View.PLAIN);
            case READ -> lock(plain.withMode(LockMode.READ), View.READERS);
            case PERMIT -> lock(plain.withPermits(request.weight(), request.permits()), View.PLAIN);
        };
    }

    private LeaseLock lock(LockRequest request, View view) {
        return new ThreadOwnedLock(() -> run().owned(), this::startedStore, this.settings.names(), request, view);
    }

    @Override
    public LeaseReadWriteLock getReadWriteLock(String name) {
        LockRequest writer = this.settings.complete(LockRequest.of(name));
        return new ReadWriteView(lock(writer.withMode(LockMode.READ), View.READERS), lock(writer, View.WRITER));
    }

    @Override
    public LeaseSemaphore getSemaphore(String name, int permits) {
        LockRequest one = LockRequest.of(name).withPermits(1, permits);
        return new Permits(this, this::startedStore, this.settings.names(), one);
    }

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        return run().unowned().acquire(this.settings.complete(request));
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        return Optional.ofNullable(run().unowned().tryAcquire(this.settings.complete(request)));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return run().unowned().acquireAsync(this.settings.complete(request));
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body)
            throws E {
        return run().execution().run(this.settings.complete(request), body);
    }

    private LockStore startedStore() {
        run();
        return this.store;
    }

    /** Returns the present run, or the last one after a stop, which refuses by itself. Starts the first one. */
    RegistryRun run() {
        RegistryRun current = this.run;
        if (current == null) {
            // Used before the context has started its lifecycle beans.
            start();
            current = this.run;
            if (current == null) {
                throw new IllegalStateException("The lock registry has not started.");
            }
        }
        return current;
    }

    @Override
    public void start() {
        this.lifecycle.lock();
        try {
            if (!this.running) {
                RegistryRun started = new RegistryRun(
                        this.clock, this.store, this.settings, this.meters, this.listeners, this.observer, this.holds);
                started.start();
                this.run = started;
                this.running = true;
                String configuration = configuration();
                String state = this.store.isConnected() ? "are ready: " : "start without a connection: ";
                logger.info("Distributed locks " + state + configuration + '.');
            }
        } finally {
            this.lifecycle.unlock();
        }
    }

    @Override
    public void stop() {
        this.lifecycle.lock();
        try {
            RegistryRun current = this.run;
            if (this.running && current != null) {
                current.stop();
            }
            this.running = false;
        } finally {
            this.lifecycle.unlock();
        }
    }

    @Override
    public void stop(Runnable callback) {
        // Beans of the same phase stop at the same time as this one, which may wait for bodies to end.
        Thread stopping = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "lock-stop");
        stopping.setDaemon(true);
        stopping.start();
    }

    @Override
    public void destroy() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return this.running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public int active() {
        return Optional.ofNullable(this.run).map(RegistryRun::active).orElse(0);
    }

    @Override
    public int waiting() {
        return Optional.ofNullable(this.run).map(RegistryRun::waiting).orElse(0);
    }

    @Override
    public void forEachHold(ObjLongConsumer<String> visitor) {
        Optional.ofNullable(this.run).ifPresent(current -> current.inventory().forEachHold(visitor));
    }

    @Override
    public Duration watchdogLag() {
        RegistryRun current = this.run;
        return current != null ? current.watchdogLag() : Duration.ZERO;
    }

    @Override
    public long droppedEvents() {
        RegistryRun current = this.run;
        return current != null ? current.droppedEvents() : 0;
    }

    @Override
    public List<Held> held() {
        RegistryRun current = this.run;
        return current != null ? current.inventory().held() : List.of();
    }

    @Override
    public Optional<Held> held(String lockName) {
        return Optional.ofNullable(this.run).map(current -> current.inventory().held(lockName));
    }

    @Override
    public List<Awaited> awaited() {
        RegistryRun current = this.run;
        return current != null ? current.inventory().awaited() : List.of();
    }

    @Override
    public Optional<Awaited> awaited(String lockName) {
        return Optional.ofNullable(this.run).map(current -> current.inventory().awaited(lockName));
    }

    @Override
    public Optional<Stored> stored(String lockName) {
        RegistryRun current = this.run;
        return Optional.ofNullable(this.store.find(lockName))
                .map(found -> current != null ? current.stored().describe(found) : StoredLocks.describeByIds(found));
    }

    @Override
    public LockHealth health() {
        RegistryRun current = this.run;
        return current != null ? current.health().now() : LockHealth.notRunning(this.store.description());
    }
}
