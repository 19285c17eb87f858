package io.github.lockstarter.engine;

import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.RenewalBatch;
import io.github.lockstarter.lock.Sent;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.time.Instant;
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
 * Calls locks at the times that they have requested, sends renewals that are due together as one command, and runs
 * delayed tasks. Its thread does no I/O and runs no code of users, which could delay the report of a loss.
 *
 * <p>The scheduler is private and not a bean, because the auto-configuration of an application's own schedulers would
 * then back off. In addition to the requested calls, the thread runs the housekeeping once a second. It handles idle
 * locks and what an exhausted stack or a refused thread has left unfinished.
 */
final class Watchdog {

    /** A lock that the watchdog calls at the requested time. */
    abstract static class Watched extends TimingWheel.Entry {

        /** Whether the lock is in the wheel of the locks that this JVM holds. */
        boolean isAmongHeld;

        /** Called at the requested time or earlier. The lock is no longer in a wheel. */
        abstract void timeReached(Renewals renewals);

        /** Notes that a call has failed. Only writes fields, because the stack may be exhausted. */
        abstract void failed();

        /** Sends one renewal. */
        abstract void sendAlone(Sent renewal);

        /** Reports the outcome of a renewal, which is a reply or a failure. Does not throw. */
        abstract void renewalOver(Sent renewal, @Nullable Reply reply, @Nullable Throwable failure);
    }

    private static final LockLog logger = LockLog.of(Watchdog.class);

    private static final Duration HOUSEKEEPING = Duration.ofSeconds(1);

    private final LockStore store;

    private final LongSupplier clock;

    private final Runnable housekeeping;

    private final ThreadPoolTaskScheduler scheduler = new Scheduler();

    /** Locks that this JVM holds. They are called first, because the ends of many waits must not delay a renewal. */
    private final TimingWheel<Watched> held;

    private final TimingWheel<Watched> others;

    private final ReentrantLock planning = new ReentrantLock();

    /** The next scheduled call, or {@code null} if there is none. Guarded by {@link #planning}. */
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
        this.held = new TimingWheel<>(clock.getAsLong());
        this.others = new TimingWheel<>(clock.getAsLong());
    }

    void start() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-watchdog-");
        threads.setDaemon(true);
        this.scheduler.setThreadFactory(worker -> threads.newThread(() -> runForEver(worker)));
        this.scheduler.setPoolSize(1);
        this.scheduler.setRemoveOnCancelPolicy(true);
        this.scheduler.initialize();
        // Scheduling the housekeeping starts the thread before it is needed, because the system may have no more
        // threads later.
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
     * Runs a worker of the executor. On a full heap, the executor can fail and then also fail to create another worker.
     * Without a worker, no lease would be renewed and no loss reported, so this thread retries until there is one.
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
                // There is still no memory.
            }
        }
    }

    void stop() {
        this.isStopped = true;
        this.scheduler.shutdown();
    }

    /**
     * Schedules a call of the lock at the given time, which replaces the previous one. Called under the mutex of the
     * lock.
     *
     * @param isHeld whether this JVM holds the lock
     */
    void call(Watched cell, long due, boolean isHeld) {
        if (cell.isAmongHeld != isHeld) {
            forget(cell);
            cell.isAmongHeld = isHeld;
        }
        if (wheelOf(cell).put(cell, due)) {
            plan(due);
        }
    }

    private TimingWheel<Watched> wheelOf(Watched cell) {
        return cell.isAmongHeld ? this.held : this.others;
    }

    /** Cancels the scheduled call of the lock. Called under the mutex of the lock. */
    void forget(Watched cell) {
        wheelOf(cell).remove(cell);
    }

    /**
     * Returns the delay of the earliest call that is due and that the thread has not begun, or zero if there is none.
     */
    Duration lag() {
        long now = this.clock.getAsLong();
        return Duration.ofNanos(now - Math.min(this.held.firstLate(now), this.others.firstLate(now)));
    }

    /**
     * Runs a task once, after the delay in nanoseconds. The task must not block.
     *
     * @return {@code false} after the stop, in which case the task does not run
     * @throws Error if the task will not run, because the JVM has no memory left
     */
    boolean later(Runnable task, long delayNanos) {
        ScheduledExecutorService executor = this.scheduler.getScheduledExecutor();
        try {
            ScheduledFuture<?> unused = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            // The scheduler was stopped.
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
            // The next call of this method or the housekeeping plans the call.
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
        long begin = this.clock.getAsLong();
        long now = begin;
        try {
            boolean isMore = true;
            // The loop is limited in time, because the housekeeping needs the thread as well.
            while (isMore && now - begin <= HOUSEKEEPING.toNanos()) {
                isMore = callAll(this.held.pollDue(now), renewals);
                if (!isMore) {
                    renewals.send();
                    isMore = callAll(this.others.pollDue(now), renewals);
                }
                now = this.clock.getAsLong();
            }
        } finally {
            renewals.send();
        }
        long next = Math.min(this.held.firstDue(Moment.NEVER), this.others.firstDue(Moment.NEVER));
        if (next != Moment.NEVER) {
            plan(next);
        }
    }

    /** Calls the given locks, and returns whether there were any. */
    private boolean callAll(List<Watched> due, Renewals renewals) {
        Throwable failure = null;
        // The loop uses no iterator and no logger, because both allocate, and no lock that was taken out of the wheel
        // may be skipped.
        for (int i = 0; i < due.size(); i++) {
            Watched cell = due.get(i);
            try {
                cell.timeReached(renewals);
            } catch (Throwable ex) {
                // The failure concerns only this lock.
                cell.failed();
                failure = ex;
            }
        }
        if (failure != null) {
            logger.debug("A call of a lock has failed.", failure);
        }
        return !due.isEmpty();
    }

    private void keepHouse() {
        try {
            try {
                this.housekeeping.run();
            } finally {
                callDue();
            }
        } catch (Throwable ex) {
            // A periodic task that throws would not be repeated.
            logger.debug("The housekeeping of locks has failed.", ex);
        }
    }

    /**
     * Schedules the housekeeping again if it has ended. Without memory, the JVM does not even find the clause that
     * catches an error.
     */
    @SuppressWarnings("serial")
    private final class Scheduler extends ThreadPoolTaskScheduler {

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable failure) {
            super.afterExecute(task, failure);
            ScheduledFuture<?> present = Watchdog.this.housekept;
            if (present != null && present.isDone() && !Watchdog.this.isStopped) {
                scheduleHousekeeping();
            }
        }
    }

    /** Renewals that are due together. Used only by the thread of the watchdog. */
    final class Renewals extends RenewalBatch<Watched> {

        Renewals() {
            super(Watchdog.this.store::renewalBatchSize);
        }

        @Override
        public void send(Watched cell, Sent renewal) {
            cell.sendAlone(renewal);
        }

        @Override
        public void send(Command.RenewAll all, List<Watched> cells, List<Sent> batch) {
            CompletionStage<?> unused = Watchdog.this.store.send(all).whenComplete((reply, failure) -> {
                for (int i = 0; i < batch.size(); i++) {
                    Reply own = reply instanceof Reply.RenewedAll outcomes
                            ? outcomes.outcomes().get(i)
                            : null;
                    cells.get(i).renewalOver(batch.get(i), own, failure);
                }
            });
        }

        @Override
        public void failed(Watched cell, Sent renewal, Throwable failure) {
            cell.renewalOver(renewal, null, failure);
        }
    }
}
