package io.github.lockstarter.registry;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.engine.Wait;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Publishes the events of the locks of one run. Meters are called immediately on the thread of the event; the log and
 * the listeners have one thread each. Also notifies owners of losses. An exception of an observer is logged and affects
 * neither the lock nor other observers. Safe for use by several threads.
 */
final class LockEvents implements Engine.Observer {

    private static final LockLog logger = LockLog.of(LockEvents.class);

    /** Minimum time between two warnings about slow listeners. */
    private static final long QUIET = TimeUnit.MINUTES.toNanos(10);

    /**
     * Texts about the reasons of a loss. This is a map, because a switch has a table in a separate class, whose
     * initialization fails for ever on a full heap.
     */
    private static final Map<LossReason, String> EXPLANATIONS = Map.of(
            LossReason.EXPIRED,
            "its lease expired, because no renewal succeeded in time. Check the store, and pauses of this JVM.",
            LossReason.TAKEN_OVER,
            "another acquisition owns it. The lease expired in the store earlier than by the clocks of this JVM,"
                    + " or the lock was unlocked by force.",
            LossReason.DELETED,
            "it has no owner in the store. It was unlocked by force, deleted, evicted or lost in a failover:"
                    + " check the store's eviction policy and persistence.",
            LossReason.REVOKED,
            "it was released by force, with LeaseLock.forceUnlock or the actuator endpoint. Another owner may have it now.",
            LossReason.MAX_HOLD,
            "it was held longer than its maxHold allows. Find out why the work takes so long, or raise maxHold.",
            LossReason.OWNER_DIED,
            "its thread ended, or its lease became unreachable, without a release. Release it in a finally block.",
            LossReason.SHUTDOWN,
            "the application stopped before the work under the lock had ended. Raise"
                    + " distributed-lock.shutdown-timeout if it should have waited longer.",
            LossReason.FAILED,
            "an error of this JVM, such as an exhausted heap or stack, has interrupted what it did with the lock. Find the"
                    + " error in its log.");

    /**
     * The observers of a registry.
     *
     * @param meters called immediately, on the thread of each event, or {@code null} if there are none
     * @param listeners beans of the application, called on a separate thread
     * @param acquisitions called on the threads of acquisitions
     */
    record Observers(@Nullable MeterListener meters, List<LockListener> listeners, AcquireObserver acquisitions) {}

    /** What happens to one grant, for its owner. A hook does not block, and a second call of it has no effect. */
    interface Hook {

        /** The grant was lost. Called at most once, and not if the grant was released. */
        void lost(LossReason reason);

        /** The owner is asked to release the grant. */
        default void releaseRequested() {}
    }

    /** The stage that a request to release the grant completes. */
    private final class RequestStage extends CompletableFuture<@Nullable Void> implements Hook {

        @Override
        public void lost(LossReason reason) {}

        @Override
        public void releaseRequested() {
            LockEvents.this.threads.complete(() -> complete(null));
        }
    }

    private final Supplier<Moment> clock;

    private final RunThreads threads;

    private final LoggedNames names;

    private final Instances instances;

    private final @Nullable MeterListener meters;

    private final LineLimit limit;

    private final LockListener lines;

    private final Topic<LockAcquiredEvent> acquired;

    private final Topic<LockNotAcquiredEvent> notAcquired;

    private final Topic<LockRenewedEvent> renewed;

    private final Topic<LockRenewalFailedEvent> renewalFailed;

    private final Topic<LockAtRiskEvent> atRisk;

    private final Topic<LockRecoveredEvent> recovered;

    private final Topic<LockReleaseRequestedEvent> releaseRequested;

    private final Topic<LockLostEvent> lost;

    private final Topic<LockReleasedEvent> released;

    private final Topic<LockHandedOverEvent> handedOver;

    private final AtomicLong losses = new AtomicLong();

    private volatile LockHealth.@Nullable Loss lastLoss;

    /** Hooks of the few grants that have any. */
    private final ConcurrentMap<Grant, Set<Hook>> hooks = new ConcurrentHashMap<>();

    private final AtomicLong rejectedMessages = new AtomicLong();

    private final AtomicLong dropped = new AtomicLong();

    private final AtomicLong nextWarning = new AtomicLong(Moment.BEFORE);

    /** The listener that is being called, or {@code null} if there is none. Written by the listener thread. */
    private volatile @Nullable LockListener running;

    private volatile long runningSince;

    /**
     * Creates the events of a run.
     *
     * @param clock the time of the engine
     */
    LockEvents(
            Supplier<Moment> clock, RunThreads threads, LoggedNames names, Instances instances, Observers observers) {
        this.clock = clock;
        this.threads = threads;
        this.names = names;
        this.instances = instances;
        this.meters = observers.meters();
        this.limit = new LineLimit(this::nanos);
        this.lines = new LoggingLockListener(this.limit, names);
        this.acquired = new Topic<>("acquired", LockAcquiredEvent.class, LockListener::acquired, observers);
        this.notAcquired = new Topic<>("notAcquired", LockNotAcquiredEvent.class, LockListener::notAcquired, observers);
        this.renewed = new Topic<>("renewed", LockRenewedEvent.class, LockListener::renewed, observers);
        this.renewalFailed =
                new Topic<>("renewalFailed", LockRenewalFailedEvent.class, LockListener::renewalFailed, observers);
        this.atRisk = new Topic<>("atRisk", LockAtRiskEvent.class, LockListener::atRisk, observers);
        this.recovered = new Topic<>("recovered", LockRecoveredEvent.class, LockListener::recovered, observers);
        this.releaseRequested = new Topic<>(
                "releaseRequested", LockReleaseRequestedEvent.class, LockListener::releaseRequested, observers);
        this.lost = new Topic<>("lost", LockLostEvent.class, LockListener::lost, observers);
        this.released = new Topic<>("released", LockReleasedEvent.class, LockListener::released, observers);
        this.handedOver = new Topic<>("handedOver", LockHandedOverEvent.class, LockListener::handedOver, observers);
    }

    // ---- Waits

    /** Notifies the meters of a wait that begins. It ends with its grant or its refusal. */
    void waitBegan(LockRequest request) {
        if (this.meters != null) {
            this.meters.waitBegan(request);
        }
    }

    /** Notifies the meters of the end of a wait. */
    void waitEnded(LockRequest request) {
        if (this.meters != null) {
            this.meters.waitEnded(request);
        }
    }

    @Override
    public void granted(Wait wait, Grant grant, Effects.Way way) {
        if (this.meters != null && way != Effects.Way.DOWNGRADED && !wait.isTentative) {
            this.meters.waitEnded(wait.request);
        }
        boolean isRemote = way == Effects.Way.MESSAGE || (way == Effects.Way.REPLY && grant.acquisition.isNotified());
        if ((isRemote || way == Effects.Way.LOCAL) && this.handedOver.isObserved()) {
            this.handedOver.publish(new LockHandedOverEvent(event(grant), isRemote ? Kind.REMOTE : Kind.LOCAL));
        }
        if (this.acquired.isObserved()) {
            this.acquired.publish(new LockAcquiredEvent(event(grant), waited(wait)));
        }
    }

    @Override
    public void refused(Wait wait, Refusal refusal) {
        if (!wait.isTentative) {
            refused(wait, wait.outcome(refusal), failure(wait, refusal));
        }
    }

    /** Reports the end of a wait without a grant. */
    void refused(Wait wait, Outcome outcome, @Nullable Throwable cause) {
        waitEnded(wait.request);
        if (this.notAcquired.isObserved()) {
            this.notAcquired.publish(new LockNotAcquiredEvent(wait.request, outcome, waited(wait), cause));
        }
    }

    /** Returns the failure that has ended a wait, or {@code null} if others held the lock or the wait was withdrawn. */
    @Nullable
    LockException failure(Wait wait, Refusal refusal) {
        if (refusal.cause() == Refusal.Cause.STOPPED) {
            return new LockException("Lock '" + shownName(wait)
                    + "' is not acquired: the lock registry has been stopped, the application is shutting down.");
        }
        return refusal.cause() == Refusal.Cause.STORE_FAILED ? storeFailure(refusal) : null;
    }

    /** Returns the failure of the store that has ended the wait. */
    private static LockStoreException storeFailure(Refusal refusal) {
        LockStoreException failure = Objects.requireNonNull(refusal.failure());
        return refusal.mayBeGranted() && !failure.isOutcomeUnknown()
                ? new LockStoreException(
                        failure.getMessage() + " An earlier command for it had no reply, and may have been executed.",
                        failure,
                        true,
                        failure.isTransient())
                : failure;
    }

    String shownName(Wait wait) {
        return this.names.of(wait.request.lockName());
    }

    /**
     * Returns the time since the beginning of the wait, or zero if it has not entered its lock. A reader that a writer
     * becomes does not wait.
     */
    Duration waited(Wait wait) {
        return wait.enteredAt > 0 ? since(wait.enteredAt) : Duration.ZERO;
    }

    @Override
    public void taken(String owner) {
        CompletableFuture<?> unused = this.instances.read(owner);
    }

    @Override
    public void waitsForStore(String lockName, LockStoreException cause) {
        warn(
                "waits for store",
                LockRequest.of(lockName).name(),
                () -> "Lock '" + this.names.of(lockName) + "' waits for its store: " + cause.getMessage());
    }

    @Override
    public void keepHouse() {
        this.threads.keepHouse();
    }

    private void warn(String kind, String name, Supplier<String> line) {
        log(
                kind,
                name,
                line,
                text -> logger.warn(text + " Further lines of this kind are logged at DEBUG for a minute."));
    }

    /** Logs a line as given, or at DEBUG if the limit does not allow it. */
    private void log(String kind, String name, Supplier<String> line, Consumer<String> asGiven) {
        // The limit is checked before the line is queued, because a flood of lines must not fill the queue.
        if (this.limit.allows(kind, name)) {
            this.threads.log(() -> asGiven.accept(line.get()));
        } else if (logger.isDebugEnabled()) {
            this.threads.log(() -> logger.debug(line.get()));
        }
    }

    @Override
    public void messageRejected() {
        this.rejectedMessages.incrementAndGet();
        warn(
                "message rejected",
                "",
                () -> "A message on the channel of this instance was rejected, because no store has sent it; "
                        + this.rejectedMessages.get() + " so far. Permit only the user of the locks to publish to their"
                        + " channels.");
    }

    @Override
    public String shownName(String lockName) {
        return this.names.of(lockName);
    }

    long rejectedMessages() {
        return this.rejectedMessages.get();
    }

    // ---- Grants

    @Override
    public void renewed(Grant grant, Moment sentAt) {
        int before = grant.renewals;
        grant.renewals = before + 1;
        if (this.renewed.isObserved()) {
            this.renewed.publish(new LockRenewedEvent(event(grant), since(sentAt.nanos())));
        }
    }

    @Override
    public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
        if (this.renewalFailed.isObserved()) {
            LossReason reason = cause == null ? lossReason(grant) : null;
            this.renewalFailed.publish(new LockRenewalFailedEvent(event(grant), since(sentAt.nanos()), reason, cause));
        }
    }

    @Override
    public void atRisk(Grant grant, @Nullable LockStoreException cause) {
        this.atRisk.publish(new LockAtRiskEvent(event(grant), remaining(grant), cause), this.lines);
    }

    @Override
    public void recovered(Grant grant) {
        this.recovered.publish(new LockRecoveredEvent(event(grant), remaining(grant)), this.lines);
    }

    @Override
    public void releaseRequested(Grant grant) {
        hooks(grant).forEach(Hook::releaseRequested);
        this.releaseRequested.publish(new LockReleaseRequestedEvent(event(grant), since(grant.grantedAt)), this.lines);
    }

    @Override
    public void lost(Grant grant, LossReason reason) {
        // The hooks are removed after all have run, because an effect that has thrown is executed again.
        hooks(grant).forEach(hook -> hook.lost(reason));
        this.hooks.remove(grant);
        this.losses.incrementAndGet();
        this.lastLoss = new LockHealth.Loss(
                grant.request.name(),
                reason,
                Instant.ofEpochMilli(this.clock.get().wallMillis()));
        this.lost.publish(new LockLostEvent(event(grant), reason, since(grant.grantedAt)), this.lines);
    }

    @Override
    public void released(Grant grant, @Nullable LockStoreException failure) {
        if (!this.hooks.isEmpty()) {
            this.hooks.remove(grant);
        }
        if (failure != null) {
            warn(
                    "release failed",
                    grant.request.name(),
                    () -> "Lock '" + shownName(grant) + "' could not be released yet: " + failure.getMessage()
                            + " The release is repeated in the background; at worst the lease expires.");
        }
        if (this.released.isObserved()) {
            LockReleasedEvent.Outcome outcome = failure != null
                    ? LockReleasedEvent.Outcome.ERROR
                    : grant.state == Grant.State.LOST
                            ? LockReleasedEvent.Outcome.LOST
                            : LockReleasedEvent.Outcome.RELEASED;
            this.released.publish(new LockReleasedEvent(event(grant), outcome, since(grant.grantedAt), failure));
        }
    }

    /** Reports that the lease of the grant has become unreachable without a release. */
    void leaseDropped(Grant grant) {
        log(
                "lease dropped",
                grant.request.name(),
                () -> "A lease of lock '" + shownName(grant) + "' (fencing token " + grant.token
                        + ") was dropped without a release. It is no longer renewed and expires. Release leases in a finally"
                        + " block or with try-with-resources.",
                logger::error);
    }

    private static LockEvent.Grant event(Grant grant) {
        return new LockEvent.Grant(grant.request, grant.token, grant.id());
    }

    // ---- Requests and losses

    /** Returns a stage that is completed by a request to release the grant. The same one for each call. */
    CompletableFuture<@Nullable Void> whenReleaseRequested(Grant grant) {
        for (Hook hook : hooks(grant)) {
            if (hook instanceof RequestStage known) {
                return known;
            }
        }
        RequestStage created = new RequestStage();
        add(grant, created);
        return created;
    }

    private Set<Hook> hooks(Grant grant) {
        return this.hooks.getOrDefault(grant, Set.of());
    }

    long losses() {
        return this.losses.get();
    }

    LockHealth.@Nullable Loss lastLoss() {
        return this.lastLoss;
    }

    /** Calls the hook for what happens to the grant from now on, and immediately for what has happened. */
    void add(Grant grant, Hook hook) {
        this.hooks.compute(grant, (key, present) -> {
            Set<Hook> all = present != null ? present : ConcurrentHashMap.newKeySet();
            all.add(hook);
            return all;
        });
        // The hook stays during a release, which may still discover that the lock is gone.
        LossReason reason = lossReason(grant);
        if (reason != null || grant.state == Grant.State.RELEASED) {
            forget(grant, hook);
            if (reason != null) {
                hook.lost(reason);
            }
        } else if (grant.isReleaseRequested()) {
            hook.releaseRequested();
        }
    }

    /** Removes a hook, which may nevertheless be called at the same time. */
    void forget(Grant grant, Hook hook) {
        this.hooks.computeIfPresent(grant, (key, present) -> {
            present.remove(hook);
            return present.isEmpty() ? null : present;
        });
    }

    /** Returns why the grant was lost, or {@code null} if it was not lost. */
    static @Nullable LossReason lossReason(Grant grant) {
        return grant.state == Grant.State.LOST ? grant.lossReason : null;
    }

    /** Creates the exception for the owner of a lost grant. */
    LockLostException exception(Grant grant, LossReason reason) {
        return exception(grant, reason, "was lost: " + explanation(reason, grant));
    }

    /** Creates the exception for a lease that is shorter than its owner requires. */
    LockLostException tooShort(Grant grant, Duration remaining, Duration required) {
        return exception(
                grant,
                LossReason.EXPIRED,
                "has " + remaining.toMillis() + " ms left, less than the required " + required.toMillis() + " ms.");
    }

    private LockLostException exception(Grant grant, LossReason reason, String what) {
        String message = "Lock '" + shownName(grant) + "' (fencing token " + grant.token + ") " + what;
        return new LockLostException(message, grant.request.lockName(), grant.token, reason);
    }

    private static String explanation(LossReason reason, Grant grant) {
        return reason == LossReason.EXPIRED && !grant.terms.isRenewed()
                ? "its fixed lease ended before the work. Request a longer lease, or a renewed one (-1)."
                : Objects.requireNonNull(EXPLANATIONS.get(reason));
    }

    /** Returns the name of the lock as it appears in messages. */
    String shownName(Grant grant) {
        return this.names.of(grant.request.lockName());
    }

    private long nanos() {
        return this.clock.get().nanos();
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(nanos() - nanos);
    }

    private Duration remaining(Grant grant) {
        return Duration.ofNanos(grant.remaining(this.clock.get()));
    }

    // ---- Listeners

    /** Returns the number of events that were dropped because listeners were too slow. */
    long dropped() {
        return this.dropped.get();
    }

    private void eventDropped() {
        this.dropped.incrementAndGet();
        long now = nanos();
        long due = this.nextWarning.get();
        if (now >= due && this.nextWarning.compareAndSet(due, now + QUIET)) {
            LockListener listener = this.running;
            String slow = listener != null
                    ? ClassUtils.getUserClass(listener).getName() + " has been running for "
                            + TimeUnit.NANOSECONDS.toMillis(now - this.runningSince) + " ms. "
                    : "";
            this.threads.log(
                    () -> logger.warn("Listeners of locks are too slow: their queue of " + RunThreads.LISTENER_CALLS
                            + " events is full, and events are dropped, " + this.dropped.get()
                            + " so far. LockListener beans, and @EventListener methods for LockLostEvent, LockAtRiskEvent and LockReleaseRequestedEvent, miss them;"
                            + " locks, meters and the log of losses are not affected. " + slow
                            + "Return from listeners soon, and do slow work on threads of your own. The meter"
                            + " distributed.lock.events.dropped counts on; the next warning follows after "
                            + TimeUnit.NANOSECONDS.toMinutes(QUIET) + " minutes at the earliest."));
        }
    }

    /** One kind of event, with the observers that override its method of {@link LockListener}. */
    private final class Topic<E extends LockEvent> {

        private final BiConsumer<LockListener, E> call;

        private final @Nullable LockListener metered;

        private final List<LockListener> called;

        Topic(String method, Class<E> type, BiConsumer<LockListener, E> call, Observers observers) {
            this.call = call;
            LockListener present = observers.meters();
            this.metered = present != null && overrides(present, method, type) ? present : null;
            this.called = observers.listeners().stream()
                    .filter(listener -> overrides(listener, method, type))
                    .toList();
        }

        private static boolean overrides(LockListener listener, String method, Class<?> type) {
            Method found = ClassUtils.getMethodIfAvailable(listener.getClass(), method, type);
            // In a native image, only the methods that its hints name can be found.
            return found == null || found.getDeclaringClass() != LockListener.class;
        }

        /** Returns whether meters or listeners observe the event; otherwise it need not be created. */
        boolean isObserved() {
            return this.metered != null || !this.called.isEmpty();
        }

        /** Publishes an event that goes to the log as well. */
        void publish(E event, LockListener log) {
            LockEvents.this.threads.log(() -> notify(log, event));
            publish(event);
        }

        void publish(E event) {
            if (this.metered != null) {
                notify(this.metered, event);
            }
            if (!this.called.isEmpty() && !LockEvents.this.threads.call(() -> callAll(event))) {
                eventDropped();
            }
        }

        private void callAll(E event) {
            for (LockListener listener : this.called) {
                LockEvents.this.runningSince = nanos();
                LockEvents.this.running = listener;
                try {
                    notify(listener, event);
                } finally {
                    LockEvents.this.running = null;
                }
            }
        }

        private void notify(LockListener listener, E event) {
            try {
                this.call.accept(listener, event);
            } catch (Throwable ex) {
                // An exception or error of an observer must not cost a lock. The thread of the log reports it, because
                // an appender may block and this thread may belong to the watchdog.
                LockEvents.this.threads.log(() -> logger.warn(
                        "Lock listener " + listener.getClass().getName() + " failed on "
                                + event.getClass().getSimpleName() + " of lock '" + LoggedNames.ofStatic(event.name())
                                + "'.",
                        ex));
            }
        }
    }
}
