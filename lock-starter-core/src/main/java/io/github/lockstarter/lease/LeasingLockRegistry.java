package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * The lock registry: leases in a {@link LockStore}, kept by a watchdog.
 *
 * <p>It starts with the application context, or at the first use before that, and stops after the web server and the
 * schedulers, but before the connections of the store: then it refuses new acquisitions, waits for running bodies up to
 * the shutdown timeout, and tells the owners of what is still held that it is lost. It can be started again.
 */
public final class LeasingLockRegistry
        implements LockRegistry, LockInventory, SmartLifecycle, DisposableBean, RegistryStatistics {

    /** After web servers and task schedulers (higher), before connection factories (0). */
    public static final int PHASE = Integer.MAX_VALUE / 4;

    private static final LockLog logger = LockLog.of(LeasingLockRegistry.class);

    private final LockStore store;

    private final LockSettings settings;

    private final @Nullable LockListener meters;

    private final List<LockListener> listeners;

    private final @Nullable AcquireObserver observer;

    private final LeaseClock clock;

    private final ThreadHolds holds = new ThreadHolds();

    private final ReentrantLock lifecycle = new ReentrantLock();

    private volatile @Nullable LockEngine engine;

    private volatile boolean running;

    /** Creates a registry whose acquisitions nobody follows. */
    public LeasingLockRegistry(
            LockStore store, LockSettings settings, @Nullable LockListener meters, List<LockListener> listeners) {
        this(store, settings, meters, listeners, (AcquireObserver) null);
    }

    /**
     * Creates a registry; it takes up no resources before it is started or used.
     *
     * @param store where the grants are kept
     * @param settings the times it works with
     * @param meters is called in the thread of each event, and so must neither block nor throw; null: none
     * @param listeners are called on the listener thread
     * @param observer follows acquisitions, in their threads; null: nobody
     */
    public LeasingLockRegistry(
            LockStore store,
            LockSettings settings,
            @Nullable LockListener meters,
            List<LockListener> listeners,
            @Nullable AcquireObserver observer) {
        this(store, settings, meters, listeners, observer, LeaseClock.SYSTEM);
    }

    LeasingLockRegistry(
            LockStore store,
            LockSettings settings,
            @Nullable LockListener meters,
            List<LockListener> listeners,
            @Nullable AcquireObserver observer,
            LeaseClock clock) {
        this.store = store;
        this.settings = settings;
        this.meters = meters;
        this.listeners = List.copyOf(listeners);
        this.observer = observer;
        this.clock = clock;
    }

    @Override
    public LeaseLock getLock(String name) {
        return new ThreadOwnedLock(this, LockRequest.of(name));
    }

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        LockEngine current = engine();
        Acquisition acquisition = unowned(current, request);
        Grant grant = current.blocking().acquire(acquisition, null);
        if (grant == null) {
            throw acquisition.giveUp();
        }
        return current.unownedLease(grant);
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        LockEngine current = engine();
        Acquisition acquisition = unowned(current, request);
        Grant grant = current.blocking().acquire(acquisition, null);
        if (grant == null) {
            acquisition.giveUpIfUnknown();
            return Optional.empty();
        }
        return Optional.of(current.unownedLease(grant));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        LockEngine current = engine();
        return new AsyncAcquirer(current, unowned(current, request)).start();
    }

    private Acquisition unowned(LockEngine current, LockRequest request) {
        Hold hold = this.holds.get(request.lockName());
        if (hold != null) {
            throw new IllegalStateException(
                    Printable.of("Thread '" + Thread.currentThread().getName()
                            + "' holds lock '" + names().of(request.lockName())
                            + "' already, and a lease that belongs to no thread is not"
                            + " reentrant: it would wait for itself. Use getLock or execute for a nested hold."));
        }
        return current.acquisition(request, current.waitTime(request), null);
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body)
            throws E {
        return new LockedExecution(engine(), request).run(body);
    }

    /** How messages name locks. */
    LoggedNames names() {
        return this.settings.names();
    }

    /** The engine of this run, or of the last one if there is none; it refuses by itself. */
    LockEngine engine() {
        LockEngine current = this.engine;
        if (current == null) {
            // Used before the context has started its lifecycle beans.
            start();
            current = this.engine;
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
                LockEngine started = new LockEngine(
                        this.clock, this.store, this.settings, this.meters, this.listeners, this.observer, this.holds);
                started.start();
                this.engine = started;
                this.running = true;
                String state = this.store.isConnected() ? "are ready: " : "start without a connection: ";
                logger.info("Distributed locks " + state + configuration() + '.');
            }
        } finally {
            this.lifecycle.unlock();
        }
    }

    /** What the line at start shows. */
    private String configuration() {
        return this.store.description() + "; " + this.settings.times();
    }

    @Override
    public void stop() {
        this.lifecycle.lock();
        try {
            LockEngine current = this.engine;
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
        LockEngine current = this.engine;
        return current != null ? current.live().count() : 0;
    }

    @Override
    public int waiting() {
        LockEngine current = this.engine;
        return current != null ? current.waiting().count() : 0;
    }

    @Override
    public Duration watchdogLag() {
        LockEngine current = this.engine;
        return current != null ? current.watchdog().lag() : Duration.ZERO;
    }

    @Override
    public long droppedEvents() {
        LockEngine current = this.engine;
        return current != null ? current.threads().droppedEvents() : 0;
    }

    @Override
    public List<Held> held() {
        LockEngine current = this.engine;
        return current != null ? current.inventory().held() : List.of();
    }

    @Override
    public Optional<Held> held(String lockName) {
        return Optional.ofNullable(this.engine)
                .map(current -> current.inventory().held(lockName));
    }

    @Override
    public List<Awaited> awaited() {
        LockEngine current = this.engine;
        return current != null ? current.inventory().awaited() : List.of();
    }

    @Override
    public Optional<Awaited> awaited(String lockName) {
        return Optional.ofNullable(this.engine)
                .map(current -> current.inventory().awaited(lockName));
    }

    @Override
    public Optional<Stored> stored(String lockName) {
        return Optional.ofNullable(this.store.find(lockName))
                .map(found -> new Stored(
                        found.fencingToken() > 0 ? Long.valueOf(found.fencingToken()) : null,
                        found.remainingMillis() >= 0 ? Duration.ofMillis(found.remainingMillis()) : null));
    }

    @Override
    public LockHealth health() {
        LockEngine current = this.engine;
        return current != null ? current.inventory().health() : LockHealth.notRunning(this.store.description());
    }
}
