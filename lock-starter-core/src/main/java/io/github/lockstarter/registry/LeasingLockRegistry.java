package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.engine.LeaseClock;
import io.github.lockstarter.engine.ThreadWait;
import io.github.lockstarter.engine.WarmUp;
import io.github.lockstarter.key.DeferredTypes;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.MessageStatus;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.tx.EnclosingTransaction;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Grants locks as leases in a {@link LockStore}, which a watchdog renews. Thread-safe.
 *
 * <p>Starts with the application context, or at the first use before that. Stops after the web server and the task
 * schedulers, but before the connections of the store. During the stop, it refuses new acquisitions, waits for running
 * bodies up to the shutdown timeout, and notifies the owners of locks that are still held of their loss. Can be started
 * again.
 */
public final class LeasingLockRegistry
        implements AttemptingRegistry, LockInventory, SmartLifecycle, DisposableBean, RegistryStatistics {

    /**
     * The phase of the registry. It stops after web servers and task schedulers, which have higher phases, and before
     * connection factories, which have phase 0.
     */
    public static final int PHASE = Integer.MAX_VALUE / 4;

    private static final LockLog logger = LockLog.of(LeasingLockRegistry.class);

    /** Maximum number of warnings about unfinished work, because an application may request any number of names. */
    private static final int MAX_UNFINISHED = 200;

    private final LockStore store;

    private final LockSettings settings;

    private final LockEvents.Observers observers;

    private final LeaseClock clock;

    private final OwnedLocks owned;

    /** Methods and names of locks that were logged, because their work did not end with the call. */
    private final Set<Object> unfinished = ConcurrentHashMap.newKeySet();

    /** Starts the registry if necessary. All locks share this object, because they are often created for each call. */
    private final Supplier<StoredLocks> startedStore;

    private final ReentrantLock lifecycle = new ReentrantLock();

    private volatile @Nullable Run run;

    private volatile boolean running;

    /** Creates a registry whose acquisitions are not observed. */
    public LeasingLockRegistry(
            LockStore store, LockSettings settings, @Nullable MeterListener meters, List<LockListener> listeners) {
        this(store, settings, meters, listeners, (AcquireObserver) null);
    }

    /**
     * Creates a registry, which uses no resources before it is started or used.
     *
     * @param store stores the grants
     * @param settings times and limits
     * @param meters called on the thread of each event, or {@code null} if there are none; must neither block nor throw
     * @param listeners called on the listener thread
     * @param observer observes acquisitions on their threads, or {@code null} if they are not observed
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
        this.observers = new LockEvents.Observers(
                meters, List.copyOf(listeners), observer != null ? observer : AcquireObserver.NONE);
        this.clock = clock;
        this.owned = new OwnedLocks(this::run, settings.names(), settings.onLost());
        this.startedStore = () -> run().stored;
    }

    /** Sets the fence that is called for later grants. */
    public void setFence(GrantFence fence) {
        this.owned.fence = fence;
    }

    /** Declares a lease of this registry lost, because a system that stores its token has observed a later owner. */
    public void takenOver(Lease lease) {
        if (lease instanceof LeaseHandle handle) {
            handle.operations.engine().change(handle.grant, (lock, now) -> lock.takenOver(handle.grant, now));
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>This implementation does not split the name, because locks are often created for each call.
     */
    @Override
    public LeaseLock getLock(String name) {
        return lock(this.settings.complete(LockRequest.of(name)), null);
    }

    @Override
    public LeaseLock getLock(String name, String key) {
        return lock(this.settings.complete(LockRequest.of(name, key)), null);
    }

    @Override
    public LeaseLock getOwnedLock(LockRequest request) {
        LockRequest plain = LockRequest.of(request.name(), request.key());
        return switch (request.mode()) {
            case WRITE -> lock(plain, null);
            case READ -> lock(plain.withMode(LockMode.READ), LockMode.READ);
            case PERMIT -> lock(plain.withPermits(request.weight(), request.permits()), null);
        };
    }

    private LeaseLock lock(LockRequest request, @Nullable LockMode mode) {
        return new ThreadOwnedLock(this.owned, this.startedStore, this.settings.names(), request, mode);
    }

    @Override
    public LeaseReadWriteLock getReadWriteLock(String name, String key) {
        LockRequest writer = this.settings.complete(LockRequest.of(name, key));
        return new ReadWriteView(lock(writer.withMode(LockMode.READ), LockMode.READ), lock(writer, LockMode.WRITE));
    }

    @Override
    public LeaseSemaphore getSemaphore(String name, String key, int permits) {
        LockRequest one = LockRequest.of(name, key).withPermits(1, permits);
        return new Permits(this, this.startedStore, this.settings.names(), one);
    }

    @Override
    public Lease acquire(LockRequest request) throws InterruptedException {
        return acquire(request, null);
    }

    @Override
    public Lease acquire(LockRequest request, Attempts.@Nullable Attempt attempt) throws InterruptedException {
        return Objects.requireNonNull(acquire(request, true, attempt));
    }

    @Override
    public Optional<Lease> tryAcquire(LockRequest request) throws InterruptedException {
        return Optional.ofNullable(acquire(request, false, null));
    }

    private @Nullable Lease acquire(LockRequest request, boolean mustSucceed, Attempts.@Nullable Attempt attempt)
            throws InterruptedException {
        LockRequest complete = this.settings.complete(request);
        this.owned.requireNotHeld(complete);
        Run current = run();
        ThreadWait wait = current.acquisitions.threadWait(complete, Owner.NONE, true);
        try {
            Grant grant = current.acquisitions.acquire(wait, mustSucceed, attempt);
            return grant == null
                    ? null
                    : EnclosingTransaction.holding(current.leases.withoutThread(grant), complete, this.settings);
        } catch (Throwable ex) {
            current.acquisitions.failed(wait);
            throw ex;
        }
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request) {
        return acquireAsync(request, null);
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockRequest request, Attempts.@Nullable Attempt attempt) {
        LockRequest complete = this.settings.complete(request);
        this.owned.requireNotHeld(complete);
        return run().acquisitions.acquireLater(complete, attempt);
    }

    @Override
    public @Nullable Attempts attempt(List<LockRequest> requests) throws InterruptedException {
        return this.owned.attempt(completed(requests));
    }

    @Override
    public @Nullable Attempts attemptLeases(List<LockRequest> requests) throws InterruptedException {
        return run().acquisitions.attempt(notHeld(requests), Owner.NONE);
    }

    @Override
    public Attempts attemptLater(List<LockRequest> requests) {
        return run().acquisitions.attemptLater(notHeld(requests));
    }

    private List<LockRequest> notHeld(List<LockRequest> requests) {
        List<LockRequest> complete = completed(requests);
        complete.forEach(this.owned::requireNotHeld);
        return complete;
    }

    private List<LockRequest> completed(List<LockRequest> requests) {
        return requests.stream().map(this.settings::complete).toList();
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedCallback<T, E> body)
            throws E {
        return execute(request, null, body);
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(
            LockRequest request, Attempts.@Nullable Attempt attempt, LockedCallback<T, E> body) throws E {
        LockRequest complete = this.settings.complete(request);
        T result = this.owned.execute(
                complete, attempt, EnclosingTransaction.holding(this, complete, this.settings, body));
        if (result != null && DeferredTypes.isUnfinished(result)) {
            warnOfUnfinished(result, complete);
        }
        return result;
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(
            Collection<LockRequest> requests, LockedCallback<T, E> body) throws E {
        LockSequence locks = LockSequence.of(requests.stream().map(this.settings::complete), this.settings);
        return locks.<T, E>execute(this, body);
    }

    /** Logs a warning once for each annotated method or static name of a lock. */
    private void warnOfUnfinished(Object result, LockRequest request) {
        Object origin = request.method() != null ? request.method() : "A callback under lock '" + request.name() + "'";
        if (this.unfinished.size() < MAX_UNFINISHED && this.unfinished.add(origin)) {
            logger.warn(origin + " returned work that has not ended, in a "
                    + result.getClass().getTypeName()
                    + ". The lock ends with the call, and the work runs WITHOUT it. Declare the result of an annotated"
                    + " method as CompletableFuture, Mono or Flux, or hold a lease of LockRegistry.acquireAsync until the"
                    + " work is done.");
        }
    }

    /**
     * Returns the present run, or after a stop the last run, which refuses acquisitions. Starts the first run if there
     * is none.
     */
    private Run run() {
        Run current = this.run;
        if (current == null) {
            // The registry is used before the context has started its lifecycle beans.
            start();
            current = Objects.requireNonNull(this.run, "not started");
        }
        return current;
    }

    /**
     * Hands a private lock over on the calling thread, so that later hand-overs from other instances are faster. Starts
     * the registry if necessary.
     *
     * @see WarmUp#handOver
     */
    public int warmUp(int handOvers, Duration pause) throws InterruptedException {
        return new WarmUp(run().engine).handOver(handOvers, pause);
    }

    @Override
    public void start() {
        this.lifecycle.lock();
        try {
            if (!this.running) {
                EarlyClasses.initialize();
                Run started = new Run(this.store, this.settings, this.observers, this.clock);
                try {
                    started.start();
                } catch (RuntimeException ex) {
                    started.stop();
                    throw ex;
                }
                this.run = started;
                this.running = true;
                String obstacle = this.store.obstacle();
                logger.info("Distributed locks " + (obstacle == null ? "are ready" : "start " + obstacle) + ": "
                        + configuration() + '.');
            }
        } finally {
            this.lifecycle.unlock();
        }
    }

    @Override
    public void stop() {
        this.lifecycle.lock();
        try {
            Run current = this.run;
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
        // The stop runs on another thread, because it may wait for bodies to end and beans of the same phase must stop
        // at the same time.
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

    /** The two locks of a name. This view has no state. */
    private record ReadWriteView(LeaseLock readLock, LeaseLock writeLock) implements LeaseReadWriteLock {

        @Override
        public String toString() {
            return "LeaseReadWriteLock[" + this.writeLock + ']';
        }
    }

    /** Returns the configuration for the log line at the start. */
    private String configuration() {
        return this.store.description() + "; " + this.settings.times();
    }

    private <T> T ofRun(Function<Run, T> value, T otherwise) {
        Run current = this.run;
        return current != null ? value.apply(current) : otherwise;
    }

    @Override
    public int active() {
        return ofRun(current -> current.engine.liveGrants(), 0);
    }

    @Override
    public int waiting() {
        return ofRun(current -> current.inventory.waiting(), 0);
    }

    @Override
    public void forEachHold(ObjLongConsumer<String> visitor) {
        Run current = this.run;
        if (current != null) {
            current.inventory.forEachHold(visitor);
        }
    }

    @Override
    public Duration watchdogLag() {
        return ofRun(current -> current.engine.lag(), Duration.ZERO);
    }

    @Override
    public long rejectedMessages() {
        return ofRun(current -> current.events.rejectedMessages(), 0L);
    }

    @Override
    public @Nullable MessageStatus messages() {
        return this.store.messages();
    }

    @Override
    public long droppedEvents() {
        return ofRun(current -> current.events.dropped(), 0L);
    }

    @Override
    public List<Held> held() {
        return ofRun(current -> current.inventory.held(null), List.of());
    }

    @Override
    public Optional<Held> held(String lockName) {
        return ofRun(
                current -> current.inventory.held(lockName).stream().max(Comparator.comparing(Held::heldFor)),
                Optional.empty());
    }

    @Override
    public List<Awaited> awaited() {
        return ofRun(current -> current.inventory.awaited(null), List.of());
    }

    @Override
    public Optional<Awaited> awaited(String lockName) {
        return ofRun(current -> current.inventory.awaited(lockName).stream().reduce(Inventory::sum), Optional.empty());
    }

    @Override
    public Optional<Stored> stored(String lockName) {
        return storedLocks().describe(lockName, this.settings.commandTimeout());
    }

    @Override
    public CompletionStage<Optional<Stored>> storedAsync(String lockName) {
        return storedLocks().describeAsync(lockName, this.settings.commandTimeout());
    }

    /** Returns the stored locks without starting the registry. */
    private StoredLocks storedLocks() {
        return ofRun(current -> current.stored, new StoredLocks(this.store, null, null));
    }

    @Override
    public LockHealth health() {
        Run current = this.run;
        return current != null ? current.inventory.health() : LockHealth.notRunning(this.store.description());
    }

    @Override
    public Optional<Server> server() {
        return Optional.ofNullable(this.store.server());
    }
}
