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
import io.github.lockstarter.tx.EnclosingTransaction;
import io.github.lockstarter.tx.LockSequence;
import io.github.lockstarter.tx.NestedLocks;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
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

    /** Without splitting the name, because locks are often created for each call. */
    @Override
    public LeaseLock getLock(String name) {
        return lock(this.settings.complete(LockRequest.of(name)), View.PLAIN);
    }

    @Override
    public LeaseLock getLock(String name, String key) {
        return lock(this.settings.complete(LockRequest.of(name, key)), View.PLAIN);
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
    public LeaseReadWriteLock getReadWriteLock(String name, String key) {
        LockRequest writer = this.settings.complete(LockRequest.of(name, key));
        return new ReadWriteView(lock(writer.withMode(LockMode.READ), View.READERS), lock(writer, View.WRITER));
    }

    @Override
    public LeaseSemaphore getSemaphore(String name, String key, int permits) {
        LockRequest one = LockRequest.of(name, key).withPermits(1, permits);
        return new Permits(this, this::startedStore, this.settings.names(), one);
    }

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        LockRequest complete = this.settings.complete(request);
        return EnclosingTransaction.holding(run().unowned().acquire(complete), complete, this.settings);
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        LockRequest complete = this.settings.complete(request);
        return Optional.ofNullable(run().unowned().tryAcquire(complete))
                .map(lease -> EnclosingTransaction.holding(lease, complete, this.settings));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return run().unowned().acquireAsync(this.settings.complete(request));
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body)
            throws E {
        LockRequest complete = this.settings.complete(request);
        return run().execution().run(complete, EnclosingTransaction.holding(this, complete, this.settings, body));
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(
            Collection<LockRequest> requests, LockedCallback<T, E> body) throws E {
        LockSequence locks = LockSequence.of(requests.stream().map(this.settings::complete), this.settings);
        return new NestedLocks<T, E>(this, locks, leases -> body.run(leases.get(leases.size() - 1))).run();
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
            current = Objects.requireNonNull(this.run, "not started");
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
        Runnable work = () -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        };
        Thread stopping = new Thread(work, "lock-stop");
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

    /** Returns the configuration for the line in the log at the start. */
    private String configuration() {
        return this.store.description() + "; " + this.settings.times();
    }

    private <T> T ofRun(Function<RegistryRun, T> value, T otherwise) {
        RegistryRun current = this.run;
        return current != null ? value.apply(current) : otherwise;
    }

    @Override
    public int active() {
        return ofRun(RegistryRun::active, 0);
    }

    @Override
    public int waiting() {
        return ofRun(RegistryRun::waiting, 0);
    }

    @Override
    public void forEachHold(ObjLongConsumer<String> visitor) {
        RegistryRun current = this.run;
        if (current != null) {
            current.inventory().forEachHold(visitor);
        }
    }

    @Override
    public Duration watchdogLag() {
        return ofRun(RegistryRun::watchdogLag, Duration.ZERO);
    }

    @Override
    public long droppedEvents() {
        return ofRun(RegistryRun::droppedEvents, 0L);
    }

    @Override
    public List<Held> held() {
        return ofRun(current -> current.inventory().held(), List.of());
    }

    @Override
    public Optional<Held> held(String lockName) {
        return Optional.ofNullable(this.run).map(current -> current.inventory().held(lockName));
    }

    @Override
    public List<Awaited> awaited() {
        return ofRun(current -> current.inventory().awaited(), List.of());
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
