package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One run of a registry, from its start to its stop: everything that belongs together, wired once. A restart makes a new
 * one, so that nothing of the old run can be mistaken for the new.
 */
final class LockEngine implements WaitingListener {

    static final CompletionStage<?> NOTHING_TO_AWAIT = CompletableFuture.completedFuture(null);

    private final LeaseClock clock;

    private final LockStore store;

    private final LockSettings settings;

    private final LockThreads threads = new LockThreads();

    private final AcquisitionIds acquisitionIds = new AcquisitionIds();

    private final LocalQueues queues = new LocalQueues(() -> new Place(this.acquisitionIds.next()));

    private final Census live = new Census();

    private final Census attempts = new Census();

    private final Census waiting = new Census();

    private final Set<AsyncAcquirer> pending = ConcurrentHashMap.newKeySet();

    private final DueQueue<Grant> watched;

    private final LeaseEvents events;

    private final Losses losses;

    private final BackgroundRelease backgroundRelease;

    private final Watchdog watchdog;

    private final AbandonedLeases abandonedLeases;

    private final Releaser releaser;

    private final @Nullable AcquireObserver observer;

    private final ObservedAcquirer blocking;

    private final Grants grants = new Grants(this);

    private final Claims claims = new Claims(this);

    private final OwnedLocks owned;

    private final Inventory inventory;

    private volatile boolean accepting = true;

    LockEngine(
            LeaseClock clock,
            LockStore store,
            LockSettings settings,
            @Nullable LockListener meters,
            List<LockListener> listeners,
            @Nullable AcquireObserver observer,
            ThreadHolds holds) {
        this.clock = clock;
        this.store = store;
        this.settings = settings;
        this.observer = observer;
        this.blocking = new ObservedAcquirer(observer, new BlockingAcquirer(this));
        this.watched = new DueQueue<>(clock.nanoTime());
        this.events = new LeaseEvents(clock, meters, new LossLog(clock::nanoTime, names()), listeners, this.threads);
        this.losses = new Losses(clock, this.watched, this.events, this.live, this.queues);
        this.backgroundRelease = new BackgroundRelease(clock, store, this.threads, names());
        this.watchdog = new Watchdog(this, this.watched);
        this.abandonedLeases = new AbandonedLeases(this.watchdog, names());
        this.releaser = new Releaser(this);
        this.owned = new OwnedLocks(this, holds);
        this.inventory = new Inventory(this);
    }

    void start() {
        this.store.start(this.acquisitionIds.next(), this);
    }

    /** Takes no more acquisitions, lets bodies end, and gives up what is still held after that, without deleting it. */
    void stop() {
        this.accepting = false;
        this.queues.failAll(new LockException("The lock registry is stopping."));
        this.pending.forEach(AsyncAcquirer::refuse);
        // What is on its way may still be granted, and has a body then.
        this.attempts.awaitNone(this.settings.commandTimeout().multipliedBy(2));
        this.live.awaitNone(this.settings.shutdownTimeout());
        this.losses.giveUpAll();
        this.watched.snapshot().forEach(this.losses::check);
        this.waiting.awaitNone(this.settings.commandTimeout());
        this.threads.stop(Duration.ofSeconds(1));
        this.backgroundRelease.awaitAnswers(Duration.ofSeconds(1));
        this.store.stop(this);
    }

    boolean isAccepting() {
        return this.accepting;
    }

    /** Whether the end has come for whatever is still held. */
    boolean hasGivenUp() {
        return this.losses.hasGivenUp();
    }

    @Override
    public void handedOver(String lockName) {
        this.claims.handedOver(lockName);
    }

    @Override
    public void missedSome() {
        this.queues.wakeAll();
    }

    Acquisition acquisition(LockRequest request, Duration waitTime, @Nullable Thread owner) {
        return new Acquisition(this, request, waitTime, owner);
    }

    /**
     * Ends a turn without a grant: those behind it go on from that place, or the place leaves the store's line.
     *
     * @return completed when the store has answered, or failed to, or need not be asked; never exceptionally
     */
    CompletionStage<?> passOn(Turn turn, Place place) {
        return this.queues.leave(turn, place) || !place.isKnown()
                ? NOTHING_TO_AWAIT
                : this.backgroundRelease.ofPlace(turn.lockName(), place);
    }

    /** A handle for a grant that belongs to no thread. */
    LeaseHandle unownedLease(Grant grant) {
        return new LeaseHandle(this, grant, this.abandonedLeases);
    }

    Duration waitTime(LockRequest request) {
        Duration waitTime = request.waitTime();
        return waitTime != null ? waitTime : this.settings.waitTime();
    }

    /** Whether a grant of that request is renewed by the watchdog. */
    static boolean isRenewed(LockRequest request) {
        Duration lease = request.lease();
        return lease == null || lease.isNegative();
    }

    /** What a request means in milliseconds. */
    long leaseMillis(LockRequest request) {
        Duration lease = request.lease();
        return (lease == null || isRenewed(request) ? this.settings.watchdogTimeout() : lease).toMillis();
    }

    /** Until when a grant of that request, given now, is renewed. */
    long renewUntil(LockRequest request, long now) {
        if (!isRenewed(request)) {
            return Grant.NOT_RENEWED;
        }
        Duration maxHold = request.maxHold() != null ? request.maxHold() : this.settings.maxHold();
        return maxHold == null || LockRequest.FOREVER.equals(maxHold) ? Grant.UNCAPPED : now + maxHold.toNanos();
    }

    long pollNanos() {
        return this.settings.pollInterval().toNanos();
    }

    LeaseClock clock() {
        return this.clock;
    }

    LockStore store() {
        return this.store;
    }

    LockSettings settings() {
        return this.settings;
    }

    /** How messages name locks. */
    LoggedNames names() {
        return this.settings.names();
    }

    LockThreads threads() {
        return this.threads;
    }

    LocalQueues queues() {
        return this.queues;
    }

    /** Grants that are live or on their way out. */
    Census live() {
        return this.live;
    }

    /** Attempts to acquire that the store has not answered yet. */
    Census attempts() {
        return this.attempts;
    }

    /** Acquisitions without a thread that are not over yet. */
    Set<AsyncAcquirer> pending() {
        return this.pending;
    }

    /** Acquisitions that wait. */
    Census waiting() {
        return this.waiting;
    }

    LeaseEvents events() {
        return this.events;
    }

    Losses losses() {
        return this.losses;
    }

    BackgroundRelease backgroundRelease() {
        return this.backgroundRelease;
    }

    Watchdog watchdog() {
        return this.watchdog;
    }

    Releaser releaser() {
        return this.releaser;
    }

    Grants grants() {
        return this.grants;
    }

    /** Who follows acquisitions; null: nobody. */
    @Nullable
    AcquireObserver observer() {
        return this.observer;
    }

    ObservedAcquirer blocking() {
        return this.blocking;
    }

    OwnedLocks owned() {
        return this.owned;
    }

    Inventory inventory() {
        return this.inventory;
    }
}
