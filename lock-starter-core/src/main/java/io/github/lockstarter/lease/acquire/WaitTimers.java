package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.lease.support.LockThreads;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/** The timers of one asynchronous wait. They are cancelled at its end, or they would keep a dropped lease reachable. */
final class WaitTimers {

    private final LockThreads threads;

    private volatile @Nullable ScheduledFuture<?> deadline;

    private volatile @Nullable ScheduledFuture<?> timeout;

    private volatile @Nullable ScheduledFuture<?> next;

    private volatile boolean cancelled;

    WaitTimers(LockThreads threads) {
        this.threads = threads;
    }

    void atDeadline(Runnable task, long delayNanos) {
        this.deadline = start(task, delayNanos);
        cancelIfEnded();
    }

    void atTimeout(Runnable task, long delayNanos) {
        cancel(this.timeout);
        this.timeout = start(task, delayNanos);
        cancelIfEnded();
    }

    /** Replaces the check that was planned before; otherwise checks caused by messages would multiply. */
    void check(Runnable task, long delayNanos) {
        cancel(this.next);
        this.next = start(task, delayNanos);
        cancelIfEnded();
    }

    void cancelCheck() {
        cancel(this.next);
    }

    void cancelAll() {
        this.cancelled = true;
        cancel(this.deadline);
        cancel(this.timeout);
        cancel(this.next);
    }

    /** The end may have come while the timer was started. */
    private void cancelIfEnded() {
        if (this.cancelled) {
            cancelAll();
        }
    }

    private @Nullable ScheduledFuture<?> start(Runnable task, long delayNanos) {
        return this.threads.later(task, delayNanos);
    }

    private static void cancel(@Nullable ScheduledFuture<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
