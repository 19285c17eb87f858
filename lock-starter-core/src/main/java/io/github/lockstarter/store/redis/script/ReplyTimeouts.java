package io.github.lockstarter.store.redis.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Fails futures of replies that do not arrive in time. Thread-safe.
 *
 * <p>All replies have the same timeout, so they expire in the order of their requests, and one scheduled check at a
 * time is enough. A timer for each of them would wake a thread in the moment in which the threads that deliver replies
 * need the processor.
 */
final class ReplyTimeouts {

    /** Not {@code orTimeout}: its single thread also runs dependents of other futures in the JVM, which may block. */
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private final long timeoutNanos;

    private final ConcurrentLinkedQueue<Pending> pending = new ConcurrentLinkedQueue<>();

    /** Whether a check is scheduled. It stays set until the queue is empty, because requests rely on it. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    ReplyTimeouts(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
    }

    /** Completes the future with a {@link TimeoutException} unless it is completed before the timeout. */
    void limit(CompletableFuture<?> reply) {
        // Each request removes the answered ones before it; those behind a late reply stay in the queue until it is
        // done.
        for (Pending first = this.pending.peek(); first != null && first.reply.isDone(); first = this.pending.peek()) {
            this.pending.remove(first);
        }
        this.pending.add(new Pending(reply, System.nanoTime() + this.timeoutNanos));
        if (!this.scheduled.get() && this.scheduled.compareAndSet(false, true)) {
            schedule(this.timeoutNanos);
        }
    }

    private void schedule(long delayNanos) {
        ScheduledFuture<?> unused = TIMER.schedule(this::check, delayNanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        try {
            for (Pending first = this.pending.peek(); first != null && first.isOver(); first = this.pending.peek()) {
                if (this.pending.remove(first)) {
                    first.reply.completeExceptionally(new TimeoutException());
                }
            }
        } finally {
            scheduleNext();
        }
    }

    private void scheduleNext() {
        Pending next = this.pending.peek();
        if (next == null) {
            this.scheduled.set(false);
            // A request that was added just before that has relied on this check.
            next = this.pending.peek();
            if (next == null || !this.scheduled.compareAndSet(false, true)) {
                return;
            }
        }
        schedule(Math.max(0, next.deadline - System.nanoTime()));
    }

    private static ScheduledThreadPoolExecutor timer() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-answer-timer-");
        threads.setDaemon(true);
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads);
        timer.setKeepAliveTime(3, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** Not a record, because it must be equal only to itself. */
    private static final class Pending {

        private final CompletableFuture<?> reply;

        /** On the clock of {@link System#nanoTime()}. */
        private final long deadline;

        Pending(CompletableFuture<?> reply, long deadline) {
            this.reply = reply;
            this.deadline = deadline;
        }

        boolean isOver() {
            return this.reply.isDone() || this.deadline - System.nanoTime() <= 0;
        }
    }
}
