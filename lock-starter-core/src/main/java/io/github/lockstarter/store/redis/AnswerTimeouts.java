package io.github.lockstarter.store.redis;

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
 * Fails answers that do not come in time. All of them have the same time, so they are due in the order in which they were
 * asked for, and one look at a time is planned: a timer for each would wake a thread in the very moment in which those
 * that bring the answer need the processor.
 */
final class AnswerTimeouts {

    /** Not {@code orTimeout}: its one thread runs what any code of the JVM hangs on a timeout, and that may block. */
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private final long nanos;

    private final ConcurrentLinkedQueue<Open> open = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean planned = new AtomicBoolean();

    /** Each answer may take that long. */
    AnswerTimeouts(Duration timeout) {
        this.nanos = timeout.toNanos();
    }

    /** Completes it with a {@link TimeoutException} unless it is completed in time. */
    void limit(CompletableFuture<?> answer) {
        // Whoever asks clears away what was answered since; behind an answer that is late the others stay a while.
        for (Open first = this.open.peek(); first != null && first.answer.isDone(); first = this.open.peek()) {
            this.open.remove(first);
        }
        this.open.add(new Open(answer, System.nanoTime() + this.nanos));
        if (!this.planned.get() && this.planned.compareAndSet(false, true)) {
            plan(this.nanos);
        }
    }

    private void plan(long nanos) {
        ScheduledFuture<?> unused = TIMER.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
        try {
            for (Open first = this.open.peek(); first != null && first.isOver(); first = this.open.peek()) {
                if (this.open.remove(first)) {
                    first.answer.completeExceptionally(new TimeoutException());
                }
            }
        } finally {
            planNext();
        }
    }

    /** A plan stands until nobody is left, for who asked during a look has relied on it. */
    private void planNext() {
        Open next = this.open.peek();
        if (next == null) {
            this.planned.set(false);
            // Who asked just before that, too.
            next = this.open.peek();
            if (next == null || !this.planned.compareAndSet(false, true)) {
                return;
            }
        }
        plan(Math.max(0, next.dueAt - System.nanoTime()));
    }

    private static ScheduledThreadPoolExecutor timer() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-answer-timer-");
        threads.setDaemon(true);
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads);
        timer.setKeepAliveTime(3, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** Equal only to itself. */
    private static final class Open {

        private final CompletableFuture<?> answer;

        private final long dueAt;

        Open(CompletableFuture<?> answer, long dueAt) {
            this.answer = answer;
            this.dueAt = dueAt;
        }

        boolean isOver() {
            return this.answer.isDone() || this.dueAt - System.nanoTime() <= 0;
        }
    }
}
