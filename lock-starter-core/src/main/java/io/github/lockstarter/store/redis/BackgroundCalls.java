package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.StackRoom;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes blocking calls in the background, for a connection that offers only blocking calls. A call that has not
 * begun within one command timeout, or for which there is no thread, fails without having been sent. Thread-safe.
 */
final class BackgroundCalls {

    private static final int MAX_THREADS = 8;

    private static final int MAX_WAITING = 10_000;

    private static final String LATE = "earlier commands took longer than the command timeout";

    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(MAX_WAITING);

    private final ThreadPoolExecutor threads;

    private final Duration timeout;

    BackgroundCalls(Duration timeout, ThreadFactory threads) {
        this.timeout = timeout;
        this.threads = new ThreadPoolExecutor(MAX_THREADS, MAX_THREADS, 10, TimeUnit.SECONDS, this.waiting, threads);
        this.threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Executes a call, and returns its result.
     *
     * @param subject what the call is for, such as {@code lock 'a'}
     * @return completed by a background thread
     */
    <T> CompletableFuture<T> submit(Supplier<T> call, String subject) {
        Call<T> submitted = new Call<>(call, subject, System.nanoTime() + this.timeout.toNanos());
        failOverdue();
        StackRoom.require();
        try {
            this.threads.execute(submitted);
        } catch (Throwable ex) {
            submitted.notSent("no thread is available", ex);
        }
        return submitted.result;
    }

    private void failOverdue() {
        while (this.waiting.peek() instanceof Call<?> first && first.isLate()) {
            if (this.waiting.remove(first)) {
                first.notSent(LATE, null);
            }
        }
    }

    /** Fails the calls that have not begun. */
    void stop() {
        for (Runnable each : this.threads.shutdownNow()) {
            ((Call<?>) each).notSent("the store was stopped", null);
        }
    }

    private static final class Call<T> implements Runnable {

        private final Supplier<T> call;

        private final String subject;

        private final long deadline;

        /** Whether the call has begun, or has failed without. */
        private final AtomicBoolean begun = new AtomicBoolean();

        private final CompletableFuture<T> result = new CompletableFuture<>();

        Call(Supplier<T> call, String subject, long deadline) {
            this.call = call;
            this.subject = subject;
            this.deadline = deadline;
        }

        boolean isLate() {
            return this.deadline - System.nanoTime() <= 0;
        }

        @Override
        public void run() {
            if (isLate()) {
                notSent(LATE, null);
            } else if (this.begun.compareAndSet(false, true)) {
                try {
                    this.result.complete(this.call.get());
                } catch (Throwable ex) {
                    this.result.completeExceptionally(ex);
                }
            }
        }

        /** Fails the call unless it has begun: a pool may start what it has rejected. */
        void notSent(String reason, @Nullable Throwable cause) {
            if (this.begun.compareAndSet(false, true)) {
                this.result.completeExceptionally(RedisErrors.notSent(this.subject, reason + '.', cause));
            }
        }
    }
}
