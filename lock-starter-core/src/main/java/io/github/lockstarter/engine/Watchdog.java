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
 * Calls locks at the times that they have requested, sends renewals that are due together as one command, and runs what
 * is to be done later. Its thread does no I/O and runs no code of users, so that nothing delays the notification of a
 * loss.
 *
 * <p>The scheduler is private and no bean, because an application's own schedulers would then back off from their
 * auto-configuration. Besides the times that are requested, its thread looks at everything once a second: for locks
 * that are idle, and for what an exhausted stack or a refused thread has left behind.
 */
final class Watchdog {

    /** A lock that is called in time. */
    abstract static class Watched extends TimingWheel.Entry {

        /** Whether it is called as a lock that this JVM holds. */
        boolean isAmongHeld;

        /** The time that was requested, or an earlier one. The lock is no longer in a wheel. */
        abstract void timeReached(Renewals renewals);

        /** A call has failed. Only plain writes, because the stack may be exhausted. */
        abstract void failed();

        /** Sends one renewal. */
        abstract void sendAlone(Sent renewal);

        /** Reports the outcome of a renewal, one of the two, and does not throw. */
        abstract void renewalOver(Sent renewal, @Nullable Reply reply, @Nullable Throwable failure);
    }

    private static final LockLog logger = LockLog.of(Watchdog.class);

    private static final Duration HOUSEKEEPING = Duration.ofSeconds(1);

    private final LockStore store;

    private final LongSupplier clock;

    private final Runnable housekeeping;

    private final ThreadPoolTaskScheduler scheduler = new Scheduler();

    /** Locks that this JVM holds: they are called first, so that the ends of many waits delay no renewal. */
    private final TimingWheel<Watched> held;

    private final TimingWheel<Watched> others;

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
     * Runs a worker of the executor. On a full heap, the executor itself can fail, and then cannot create another
     * worker either. Without one, no lease would be renewed and no loss reported, so this thread goes on until there is
     * another one.
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

    /**
     * Calls the lock at that time, in place of the time before. Called under the mutex of the lock.
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

    /** Does not call the lock any more. Called under the mutex of the lock. */
    void forget(Watched cell) {
        wheelOf(cell).remove(cell);
    }

    /**
     * Returns how late the first of the calls is that are due and that the thread has not taken; zero if there is none.
     */
    Duration lag() {
        long now = this.clock.getAsLong();
        return Duration.ofNanos(now - Math.min(this.held.firstLate(now), this.others.firstLate(now)));
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
        long begin = this.clock.getAsLong();
        long now = begin;
        try {
            boolean isMore = true;
            // The housekeeping needs the thread as well.
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

    /** Calls those locks, and returns whether there were any. */
    private boolean callAll(List<Watched> due, Renewals renewals) {
        Throwable failure = null;
        // Without an iterator and a logger, which allocate: no cell of those that were taken out may be skipped.
        for (int i = 0; i < due.size(); i++) {
            Watched cell = due.get(i);
            try {
                cell.timeReached(renewals);
            } catch (Throwable ex) {
                // Of this lock only.
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
            // A periodic task that throws is not repeated.
            logger.debug("The housekeeping of locks has failed.", ex);
        }
    }

    /**
     * Goes on with the housekeeping if it has ended: without memory, the JVM does not even find the clause that catches
     * an error.
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

    /** Renewals that are due together. Used by the thread of the watchdog alone. */
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
