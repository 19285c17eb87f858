package io.github.lockstarter.engine;

import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Calls locks at the times that they have requested, sends renewals that are due together as one command, and runs what is to be
 * done later. Its thread does no I/O and runs no code of users, so that nothing delays the notification of a loss.
 *
 * <p>The scheduler is private and no bean, because an application's own schedulers would then back off from their
 * auto-configuration. Besides the times that are requested, its thread looks at everything once a second: for locks that are
 * idle, and for what an exhausted stack or a refused thread has left behind.
 */
final class Watchdog {

    private static final LockLog logger = LockLog.of(Watchdog.class);

    private static final Duration HOUSEKEEPING = Duration.ofSeconds(1);

    private final LockStore store;

    private final LongSupplier clock;

    private final Runnable housekeeping;

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    private final TimingWheel<Engine.Cell> wheel;

    private final ReentrantLock planning = new ReentrantLock();

    /** The next call; null: there is none. Guarded by the lock. */
    private @Nullable ScheduledFuture<?> planned;

    private long plannedFor;

    private volatile @Nullable ScheduledFuture<?> housekept;

    private volatile boolean isStopped;

    /**
     * Creates a watchdog, which {@link #start} starts.
     *
     * @param clock nanoseconds of the engine
     * @param housekeeping runs about once a second on the thread of the watchdog
     */
    Watchdog(LockStore store, LongSupplier clock, Runnable housekeeping) {
        this.store = store;
        this.clock = clock;
        this.housekeeping = housekeeping;
        this.wheel = new TimingWheel<>(clock.getAsLong());
    }

    void start() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-watchdog-");
        threads.setDaemon(true);
        this.scheduler.setThreadFactory(worker -> threads.newThread(() -> runForEver(worker)));
        this.scheduler.setPoolSize(1);
        this.scheduler.setRemoveOnCancelPolicy(true);
        this.scheduler.initialize();
        // The thread exists before it is needed: later, the system may have no more threads.
        scheduleHousekeeping();
    }

    private void scheduleHousekeeping() {
        ScheduledFuture<?> before = this.housekept;
        if (before != null) {
            before.cancel(false);
        }
        this.housekept = this.scheduler.scheduleWithFixedDelay(
                this::keepHouse, Instant.now().plus(HOUSEKEEPING), HOUSEKEEPING);
    }

    /**
     * Runs a worker of the executor. On a full heap, the executor itself can fail, and then cannot create another worker either. Without
     * one, no lease would be renewed and no loss reported, so this thread goes on until there is another one.
     */
    private void runForEver(Runnable worker) {
        try {
            worker.run();
            return;
        } catch (Throwable ex) {
            // Nothing can be logged without memory.
        }
        boolean isRevived = false;
        while (!isRevived) {
            try {
                LockSupport.parkNanos(HOUSEKEEPING.toNanos());
                if (!this.isStopped) {
                    scheduleHousekeeping();
                }
                isRevived = true;
            } catch (Throwable ex) {
                // Still without memory.
            }
        }
    }

    void stop() {
        this.isStopped = true;
        this.scheduler.shutdown();
    }

    /** Calls the lock at that time, or later if it is already to be called earlier. */
    void call(Engine.Cell cell, long due) {
        if (this.wheel.put(cell, due)) {
            plan(due);
        }
    }

    /** Does not call the lock any more. */
    void forget(Engine.Cell cell) {
        this.wheel.remove(cell);
    }

    /** Returns how late the first of the calls is that are due and that the thread has not taken; zero if there is none. */
    Duration lag() {
        long now = this.clock.getAsLong();
        return Duration.ofNanos(now - this.wheel.firstLate(now));
    }

    /**
     * Runs a task once, after the delay. Returns false after the stop. The task must not block.
     *
     * @throws Error if the task will not run, because the JVM has no memory left
     */
    boolean later(Runnable task, long delayNanos) {
        ScheduledExecutorService executor = this.scheduler.getScheduledExecutor();
        try {
            ScheduledFuture<?> unused = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            // After the stop
            return false;
        }
        return true;
    }

    private void plan(long due) {
        this.planning.lock();
        try {
            if (this.planned == null || due < this.plannedFor) {
                ScheduledFuture<?> before = this.planned;
                this.planned = null;
                if (before != null) {
                    before.cancel(false);
                }
                long delay = Math.max(0, due - this.clock.getAsLong());
                this.planned =
                        this.scheduler.getScheduledExecutor().schedule(this::callDue, delay, TimeUnit.NANOSECONDS);
                this.plannedFor = due;
            }
        } catch (Throwable ex) {
            // The next call of this method or the housekeeping plans it.
            logger.debug("The watchdog could not plan a call.", ex);
        } finally {
            this.planning.unlock();
        }
    }

    private void callDue() {
        this.planning.lock();
        try {
            this.planned = null;
        } finally {
            this.planning.unlock();
        }
        Renewals renewals = new Renewals();
        long now = this.clock.getAsLong();
        Throwable failure = null;
        try {
            for (List<Engine.Cell> due = this.wheel.pollDue(now); !due.isEmpty(); due = this.wheel.pollDue(now)) {
                // Without an iterator and a logger, which allocate: no cell of those that were taken out may be
                // skipped.
                for (int i = 0; i < due.size(); i++) {
                    Engine.Cell cell = due.get(i);
                    try {
                        cell.timeReached(renewals);
                    } catch (Throwable ex) {
                        // Of this lock only.
                        cell.failed();
                        failure = ex;
                    }
                }
            }
        } finally {
            renewals.send();
        }
        if (failure != null) {
            logger.debug("A call of a lock has failed.", failure);
        }
        long next = this.wheel.firstDue(Moment.NEVER);
        if (next != Moment.NEVER) {
            plan(next);
        }
    }

    private void keepHouse() {
        try {
            this.housekeeping.run();
            callDue();
        } catch (Throwable ex) {
            // A periodic task that throws is not repeated.
            logger.debug("The housekeeping of locks has failed.", ex);
        }
    }

    /** Renewals that are due together. Used by the thread of the watchdog alone. */
    final class Renewals {

        private ArrayList<Engine.Cell> cells = new ArrayList<>();

        private ArrayList<Sent> renewals = new ArrayList<>();

        private long leaseMillis;

        void add(Engine.Cell cell, Sent renewal) {
            long lease = ((Command.Renew) renewal.command).leaseMillis();
            if (lease != this.leaseMillis || this.renewals.size() >= Watchdog.this.store.renewalBatchSize()) {
                send();
                this.leaseMillis = lease;
            }
            // Allocates what both need before one of them has changed.
            this.cells.ensureCapacity(this.cells.size() + 1);
            this.renewals.ensureCapacity(this.renewals.size() + 1);
            this.cells.add(cell);
            this.renewals.add(renewal);
        }

        void send() {
            ArrayList<Engine.Cell> batchCells = this.cells;
            ArrayList<Sent> batch = this.renewals;
            if (batch.isEmpty()) {
                return;
            }
            try {
                ArrayList<Engine.Cell> nextCells = new ArrayList<>();
                ArrayList<Sent> next = new ArrayList<>();
                this.cells = nextCells;
                this.renewals = next;
                if (batch.size() == 1) {
                    batchCells.get(0).sendNow(batch.get(0));
                    return;
                }
                List<Command.Renew> commands = new ArrayList<>(batch.size());
                batch.forEach(sent -> commands.add((Command.Renew) sent.command));
                CompletionStage<?> unused = Watchdog.this
                        .store
                        .send(new Command.RenewAll(commands))
                        .whenComplete((reply, failure) -> settle(batchCells, batch, reply, failure));
            } catch (Throwable ex) {
                settle(batchCells, batch, null, ex);
                // They may be the present lists.
                batchCells.clear();
                batch.clear();
            }
        }

        private void settle(
                List<Engine.Cell> batchCells, List<Sent> batch, @Nullable Reply reply, @Nullable Throwable failure) {
            for (int i = 0; i < batch.size(); i++) {
                Reply own =
                        reply instanceof Reply.RenewedAll all ? all.outcomes().get(i) : null;
                batchCells.get(i).completed(batch.get(i), own, failure, true);
            }
        }
    }
}
