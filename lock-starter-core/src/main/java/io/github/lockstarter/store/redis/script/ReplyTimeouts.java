package io.github.lockstarter.store.redis.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Fails futures of replies that do not arrive in time. Thread-safe.
 *
 * <p>All replies have the same timeout, so they expire in the order of their requests, and one scheduled check at a
 * time is enough. A timer for each of them would wake a thread in the moment in which the threads that deliver replies
 * need the processor.
 */
public final class ReplyTimeouts {

    /** Not {@code orTimeout}: its single thread also runs dependents of other futures in the JVM, which may block. */
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private final long timeoutNanos;

    /** Runs a task once after some nanoseconds. */
    private final ObjLongConsumer<Runnable> timer;

    private final LongSupplier clock;

    private final ConcurrentLinkedQueue<Pending> pending = new ConcurrentLinkedQueue<>();

    /** Whether a check is scheduled. It stays set until the queue is empty, because requests rely on it. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Creates timeouts of that length; they need no thread until a reply is late. */
    public ReplyTimeouts(Duration timeout) {
        this(timeout, ReplyTimeouts::runLater, System::nanoTime);
    }

    /**
     * As {@link #ReplyTimeouts(Duration)}, with a timer and a clock of the caller.
     *
     * @param timer runs a task once after some nanoseconds, on a thread that must not be blocked
     * @param clock returns nanoseconds as {@link System#nanoTime()} does
     */
    ReplyTimeouts(Duration timeout, ObjLongConsumer<Runnable> timer, LongSupplier clock) {
        this.timeoutNanos = timeout.toNanos();
        this.timer = timer;
        this.clock = clock;
    }

    /** Completes the future with a {@link TimeoutException} unless it is completed before the timeout. */
    public void limit(CompletableFuture<?> reply) {
        // Each request removes the answered ones before it; those behind a late reply stay in the queue until it is
        // done.
        for (Pending first = this.pending.peek(); first != null && first.reply.isDone(); first = this.pending.peek()) {
            this.pending.remove(first);
        }
        this.pending.add(new Pending(reply, this.clock.getAsLong() + this.timeoutNanos));
        if (!this.scheduled.get() && this.scheduled.compareAndSet(false, true)) {
            schedule(this.timeoutNanos);
        }
    }

    private void schedule(long delayNanos) {
        this.timer.accept(this::check, delayNanos);
    }

    private void check() {
        try {
            for (Pending first = this.pending.peek(); first != null && isOver(first); first = this.pending.peek()) {
                if (this.pending.remove(first)) {
                    first.reply.completeExceptionally(new TimeoutException());
                }
            }
        } finally {
            scheduleNext();
        }
    }

    private boolean isOver(Pending each) {
        return each.reply.isDone() || each.deadline - this.clock.getAsLong() <= 0;
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
        schedule(Math.max(0, next.deadline - this.clock.getAsLong()));
    }

    private static void runLater(Runnable task, long delayNanos) {
        ScheduledFuture<?> unused = TIMER.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
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

        /** On the clock in nanoseconds. */
        private final long deadline;

        Pending(CompletableFuture<?> reply, long deadline) {
            this.reply = reply;
            this.deadline = deadline;
        }
    }
}
