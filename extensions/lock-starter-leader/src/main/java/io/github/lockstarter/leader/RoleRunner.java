package io.github.lockstarter.leader;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.leader.LeaderRole.State;
import io.github.lockstarter.leader.LeadershipRevokedEvent.Reason;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Drives the state machine of one role: the lock, the timers, the thread of listeners and beans, and the calls that run
 * because this instance leads. Thread-safe.
 *
 * <p>All inputs of the machine hold a mutex, and so do its effects, which only submit or send something. Listeners and
 * beans run on the thread of the role without the mutex. {@link #isLeader} does not need it.
 */
final class RoleRunner {

    private static final LockLog logger = LockLog.of(RoleRunner.class);

    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String role;

    private final LockRequest request;

    private final LockRegistry registry;

    private final ScheduledExecutorService timer;

    private final ThreadPoolExecutor worker;

    private final RoleBeans beans;

    private final LeaderRole machine;

    private final ReentrantLock mutex = new ReentrantLock();

    private final Condition callsChanged = this.mutex.newCondition();

    /** Completed when the role is at rest; replaced by a start. */
    private CompletableFuture<@Nullable Void> rest = CompletableFuture.completedFuture(null);

    /** Completed when the beans of the last epoch have stopped, or the role is at rest. */
    private CompletableFuture<@Nullable Void> beansStopped = CompletableFuture.completedFuture(null);

    private final Set<LeaderCall> calls = new HashSet<>();

    private @Nullable CompletableFuture<Lease> pending;

    /** The lease of the current epoch, from the grant to the release. */
    private volatile @Nullable Lease lease;

    /** The lease while this instance leads. */
    private volatile @Nullable Lease leading;

    private volatile @Nullable Thread thread;

    private Reason endReason = Reason.STOPPED;

    /** The lease whose revocation was published; used on the thread of the role only. */
    private @Nullable Lease revoked;

    /** Whether the context is stopping or has stopped, so that no start has an effect. */
    private boolean isClosed;

    /** Whether the thread of the role runs the beginning of an epoch, and may be interrupted. */
    private boolean isBeginning;

    private final LongAdder grants = new LongAdder();

    private final LongAdder skipped = new LongAdder();

    /**
     * Creates a runner, which contends for nothing before {@link #start}.
     *
     * @param worker an executor of this role with one thread
     */
    RoleRunner(
            String role,
            LeaderRole.Times times,
            LockRegistry registry,
            ScheduledExecutorService timer,
            ThreadPoolExecutor worker,
            RoleBeans beans) {
        this.role = role;
        this.registry = registry;
        this.timer = timer;
        this.worker = worker;
        this.beans = beans;
        this.request = LockRequest.of(lockName(role), "")
                .withWaitTime(LockRequest.FOREVER)
                .withLease(LockRequest.FOREVER)
                .withMaxHold(LockRequest.FOREVER)
                // The limit of all names would otherwise keep an instance out of the line.
                .withMaxWaiters(1);
        this.machine = new LeaderRole(times, new DriverEffects());
    }

    /** Returns the name of the role's lock, which has no key. */
    static String lockName(String role) {
        return LeaderProperties.LOCK_PREFIX + role;
    }

    String role() {
        return this.role;
    }

    boolean isLeader() {
        Lease current = this.leading;
        return current != null && current.isHeld();
    }

    State state() {
        return input(this.machine::state);
    }

    long grants() {
        return this.grants.sum();
    }

    long skipped() {
        return this.skipped.sum();
    }

    /** Contends from now on. Returns false if the role is closed. */
    boolean start() {
        return input(() -> {
            if (this.isClosed) {
                return false;
            }
            if (this.rest.isDone()) {
                this.rest = new CompletableFuture<>();
            }
            this.machine.start();
            return true;
        });
    }

    /** Permits starts after {@link #close}. */
    void open() {
        input(() -> {
            this.isClosed = false;
        });
    }

    /**
     * Ends the contention, and permits no start until {@link #open}. The stage is complete when nothing of the role
     * runs, or at the stop timeout. The role waits for a thread that works for it, so that this thread waits for less:
     * in a guarded call until the beans have stopped, and on the thread of the role for nothing. There, the revocation
     * is published before this method returns, because the context is closed afterwards.
     */
    CompletionStage<@Nullable Void> close() {
        boolean isOnThread = isOnThread();
        CompletionStage<@Nullable Void> end = input(() -> {
            this.isClosed = true;
            this.machine.stop();
            boolean isInCall = false;
            for (LeaderCall call : this.calls) {
                isInCall |= call.closesOnThread();
            }
            this.callsChanged.signalAll();
            if (isOnThread) {
                this.isBeginning = false;
            }
            return isInCall ? this.beansStopped : this.rest;
        });
        if (!isOnThread) {
            return end;
        }
        Lease current = input(() -> this.machine.state() == State.ENDING ? this.lease : null);
        if (current != null) {
            publishRevocation(current);
            if (this.beans.haveStopped()) {
                input(this.machine::deadlocked);
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Ends the contention. The stage is complete when no bean of the role runs, or at the stop timeout. */
    CompletionStage<@Nullable Void> stop() {
        return input(() -> {
            this.machine.stop();
            return this.beansStopped;
        });
    }

    /** Gives up the role; see {@link LeaderRole#cede}. */
    boolean cede(@Nullable Duration pause) {
        return input(() -> isLeader() && this.machine.cede(pause));
    }

    /** Publishes that the lease of this epoch is at risk. */
    void atRisk(long epoch, Duration remaining) {
        if (isEpoch(epoch)) {
            onThread(() -> {
                if (isEpoch(epoch)) {
                    publishOrWarn(new LeadershipAtRiskEvent(this.role, epoch, remaining));
                }
            });
        }
    }

    private boolean isEpoch(long epoch) {
        Lease current = this.leading;
        return current != null && current.fencingToken() == epoch;
    }

    /** Returns whether the calling thread runs listeners or beans of the role. */
    boolean isOnThread() {
        return Thread.currentThread() == this.thread;
    }

    /**
     * Begins a call that runs only on the leader.
     *
     * @return the call, which the caller must end, or {@code null} if this instance does not lead
     */
    @Nullable
    LeaderCall enter(OnLost onLost) {
        return input(() -> {
            Lease current = this.leading;
            if (current == null || !current.isHeld()) {
                this.skipped.increment();
                return null;
            }
            LeaderCall call = new LeaderCall(this, current, onLost);
            this.calls.add(call);
            return call;
        });
    }

    /** Ends a call of {@link #enter}; idempotent. */
    void exit(LeaderCall call) {
        input(() -> {
            this.calls.remove(call);
            this.callsChanged.signalAll();
        });
    }

    private void input(Runnable change) {
        boolean unused = input(() -> {
            change.run();
            return true;
        });
    }

    /** Runs an input or a query of the machine with the mutex. */
    private <T extends @Nullable Object> T input(Supplier<T> change) {
        this.mutex.lock();
        try {
            T result = change.get();
            noteRest();
            return result;
        } finally {
            this.mutex.unlock();
        }
    }

    private void noteRest() {
        if (this.machine.isAtRest()) {
            this.rest.complete(null);
            this.beansStopped.complete(null);
        }
    }

    private void received(long attempt, @Nullable Lease granted, @Nullable Throwable failure) {
        if (granted == null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            input(() -> {
                if (this.machine.refused(attempt)) {
                    logger.warn(
                            "Leader role '" + this.role + "': its lock could not be requested, and the request is"
                                    + " repeated after retry-delay",
                            cause);
                }
            });
            return;
        }
        input(() -> {
            if (this.machine.state() != State.CONTENDING) {
                release(granted);
                return;
            }
            this.lease = granted;
            if (!this.machine.granted(attempt)) {
                this.lease = null;
                release(granted);
            }
        });
    }

    private static void release(Lease granted) {
        CompletionStage<Boolean> unused = granted.releaseAsync();
    }

    /** Runs on the thread of the role. */
    private void begin(Lease granted) {
        input(() -> {
            this.isBeginning = true;
        });
        boolean hasFailed = false;
        try {
            this.grants.increment();
            logger.info("Leader role '" + this.role + "' was granted, epoch " + granted.fencingToken() + '.');
            this.beans.publish(new LeadershipGrantedEvent(this.role, granted.fencingToken()));
            this.beans.start(() -> this.leading == granted);
        } catch (Throwable ex) {
            hasFailed = true;
            logger.error(
                    "Leader role '" + this.role + "', epoch " + granted.fencingToken()
                            + ": a listener of LeadershipGrantedEvent or the start of a bean failed. The role is given up,"
                            + " and contended for again after retry-delay",
                    ex);
        }
        boolean failed = hasFailed;
        input(() -> {
            this.isBeginning = false;
            // The interrupt of a loss must not reach the revocation.
            boolean unused = Thread.interrupted();
            this.machine.begun(failed);
        });
    }

    /** Runs on the thread of the role. */
    private void end(Lease granted) {
        try {
            publishRevocation(granted);
        } finally {
            stopBeans();
            input(() -> {
                this.beansStopped.complete(null);
                while (!this.calls.isEmpty()) {
                    if (this.calls.stream().allMatch(LeaderCall::isClosing)) {
                        this.machine.deadlocked();
                        noteRest();
                    }
                    this.callsChanged.awaitUninterruptibly();
                }
                this.machine.ended();
            });
        }
    }

    /** Runs on the thread of the role. Publishes the revocation of an epoch once. */
    private void publishRevocation(Lease granted) {
        if (this.revoked != granted) {
            this.revoked = granted;
            Reason reason = input(() -> this.endReason);
            logger.info("Leader role '" + this.role + "' ends, epoch " + granted.fencingToken() + ": " + reason + '.');
            publishOrWarn(new LeadershipRevokedEvent(this.role, granted.fencingToken(), reason));
        }
    }

    /**
     * Returns when no bean runs any more. An error, such as an exhausted heap, must not end the contention for ever.
     */
    private void stopBeans() {
        while (true) {
            try {
                this.beans.stop();
                return;
            } catch (Throwable ex) {
                logger.error("Leader role '" + this.role + "': the stop of its beans failed and is repeated", ex);
                LockSupport.parkNanos(REPEAT_NANOS);
            }
        }
    }

    /** Tells the calls that they go on without the lock; called with the mutex. */
    private void loseCalls() {
        this.calls.forEach(LeaderCall::lose);
    }

    private void publishOrWarn(LeadershipEvent event) {
        try {
            this.beans.publish(event);
        } catch (Throwable ex) {
            logger.error("Leader role '" + this.role + "': a listener of " + event + " failed", ex);
        }
    }

    /** Runs a task of the role, with the thread known to {@link #isOnThread}. */
    private void onThread(Runnable task) {
        this.worker.execute(() -> {
            this.thread = Thread.currentThread();
            try {
                task.run();
            } finally {
                this.thread = null;
            }
        });
    }

    /** What the machine wants; called with the mutex. */
    private final class DriverEffects implements LeaderRole.Effects {

        @Override
        public void schedule(Duration delay, long number) {
            RoleRunner self = RoleRunner.this;
            Object unused = self.timer.schedule(
                    () -> self.input(() -> self.machine.elapsed(number)), delay.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void contend(long number) {
            RoleRunner self = RoleRunner.this;
            CompletableFuture<Lease> future;
            try {
                // A JVM without a thread for the role must not lead.
                boolean unused = self.worker.prestartCoreThread();
                future = self.registry.acquireAsync(self.request).toCompletableFuture();
            } catch (Throwable ex) {
                self.timer.execute(() -> self.received(number, null, ex));
                return;
            }
            self.pending = future;
            CompletableFuture<?> unusedToo =
                    future.whenComplete((granted, failure) -> self.received(number, granted, failure));
        }

        @Override
        public void withdraw() {
            CompletableFuture<Lease> future = RoleRunner.this.pending;
            if (future != null) {
                future.cancel(true);
            }
        }

        @Override
        public void begin() {
            RoleRunner self = RoleRunner.this;
            Lease granted = self.current();
            self.leading = granted;
            self.beansStopped = new CompletableFuture<>();
            self.onThread(() -> self.begin(granted));
            CompletionStage<?> unused = granted.lost()
                    .thenAccept(reason -> self.input(() -> {
                        if (self.lease == granted) {
                            self.loseCalls();
                            self.machine.lost();
                        }
                    }));
        }

        @Override
        public void end(Reason reason) {
            RoleRunner self = RoleRunner.this;
            Lease granted = self.current();
            self.leading = null;
            self.endReason = reason;
            self.onThread(() -> self.end(granted));
        }

        @Override
        public void interruptBegin() {
            Thread running = RoleRunner.this.thread;
            if (RoleRunner.this.isBeginning && running != null) {
                running.interrupt();
            }
        }

        @Override
        public void warn(boolean isEnding) {
            RoleRunner self = RoleRunner.this;
            Thread running = self.thread;
            // Not thrown: the log shows where the thread is.
            Throwable place = new Throwable(Printable.of("thread of leader role '" + self.role + "'"));
            place.setStackTrace(running != null ? running.getStackTrace() : new StackTraceElement[0]);
            logger.warn(
                    "Leader role '" + self.role + "': "
                            + (isEnding
                                    ? "its listeners, beans and calls have not ended within stop-timeout ("
                                            + self.calls.size()
                                            + " calls run). Its lock is no longer renewed and expires"
                                            + " at the end of its lease, and another instance may lead while they run"
                                    : "a listener of LeadershipGrantedEvent or the start of a bean has taken longer than"
                                            + " stop-timeout. The role is kept. Let long work run on other threads"),
                    place);
        }

        @Override
        public void abandon() {
            Lease granted = RoleRunner.this.current();
            RoleRunner.this.loseCalls();
            // Not earlier than the end that this instance assumes. In the store, the lease ends a tenth of its length
            // later, which is at least a ninth of what is left.
            Duration left = granted.remaining();
            if (!left.isZero()) { // otherwise it is lost, and a release without a delay would be one at once
                CompletionStage<Boolean> unused = granted.releaseAsync(left.plus(left.dividedBy(9)));
            }
        }

        @Override
        public void release() {
            RoleRunner self = RoleRunner.this;
            Lease granted = self.current();
            self.lease = null;
            CompletionStage<?> unused =
                    granted.releaseAsync().whenComplete((wasHeld, failure) -> self.input(self.machine::released));
        }
    }

    private Lease current() {
        Lease current = this.lease;
        if (current == null) {
            throw new IllegalStateException("no lease");
        }
        return current;
    }
}
