package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Fails futures of replies that do not arrive in time. Thread-safe.
 *
 * <p>All replies have the same timeout, so they expire in the order of their requests, and one scheduled check at a
 * time is enough. A timer for each of them would wake a thread in the moment in which the threads that deliver replies
 * need the processor.
 */
final class ReplyTimeouts {

    private final long timeoutNanos;

    private final String message;

    /** Runs a task once after some nanoseconds. */
    private final ObjLongConsumer<Runnable> timer;

    private final LongSupplier clock;

    private final ConcurrentLinkedQueue<Pending> pending = new ConcurrentLinkedQueue<>();

    private final SingleTask check = new SingleTask(this::failLate);

    /**
     * Creates timeouts of that length.
     *
     * @param timer runs a task once after some nanoseconds, on a thread that must not be blocked
     */
    ReplyTimeouts(Duration timeout, ObjLongConsumer<Runnable> timer) {
        this(timeout, timer, System::nanoTime);
    }

    /**
     * As {@link #ReplyTimeouts(Duration, ObjLongConsumer)}, with a clock of the caller.
     *
     * @param clock returns nanoseconds as {@link System#nanoTime()} does
     */
    ReplyTimeouts(Duration timeout, ObjLongConsumer<Runnable> timer, LongSupplier clock) {
        this.timeoutNanos = timeout.toNanos();
        this.message = Printable.of("no reply within " + timeout.toMillis() + " ms");
        this.timer = timer;
        this.clock = clock;
    }

    /**
     * Completes the future with a {@link TimeoutException} unless it is completed before the timeout. If this method
     * throws, because there is no thread for the check, the future has no timeout.
     */
    void limit(CompletableFuture<?> reply) {
        // Each request removes the answered ones before it; those behind a late reply stay in the queue until it is
        // done.
        for (Pending first = this.pending.peek(); first != null && first.reply.isDone(); first = this.pending.peek()) {
            this.pending.remove(first);
        }
        this.pending.add(new Pending(reply, this.clock.getAsLong() + this.timeoutNanos));
        schedule();
    }

    /** Waits for a reply until the timeout. */
    <T> T await(CompletableFuture<T> reply) throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return reply.get(this.timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException ex) {
            throw new TimeoutException(this.message);
        }
    }

    /**
     * Schedules a check at the deadline of the first reply, unless one is scheduled. If it fails, the next call does
     * so.
     */
    private void schedule() {
        Pending first = this.pending.peek();
        if (first != null) {
            this.check.schedule(task -> this.timer.accept(task, Math.max(0, first.deadline - this.clock.getAsLong())));
        }
    }

    private void failLate() {
        try {
            for (Pending first = this.pending.peek(); first != null && isOver(first); first = this.pending.peek()) {
                if (this.pending.remove(first)) {
                    first.reply.completeExceptionally(new TimeoutException(this.message));
                }
            }
        } finally {
            this.check.ended();
            // A request that was added while this check was running has relied on it.
            schedule();
        }
    }

    /** Fails all replies, because replies of a connection whose event loop has ended would never be completed. */
    void failAll() {
        for (Pending first = this.pending.poll(); first != null; first = this.pending.poll()) {
            first.reply.completeExceptionally(new TimeoutException(this.message));
        }
    }

    private boolean isOver(Pending each) {
        return each.reply.isDone() || each.deadline - this.clock.getAsLong() <= 0;
    }

    /** This class is not a record, because an object must be equal only to itself. */
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
