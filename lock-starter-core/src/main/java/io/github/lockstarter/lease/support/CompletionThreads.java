package io.github.lockstarter.lease.support;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Completes futures whose dependent stages are user code. The number of completions that run at the same time is limited,
 * so that a burst needs few threads. A completion that takes more than 100 ms does not count towards the limit, because
 * its stages probably block: blocked stages delay the completion of other futures by about 100 ms at most.
 */
final class CompletionThreads implements Executor {

    private static final int MOST = 200;

    private static final long LONG = TimeUnit.MILLISECONDS.toNanos(100);

    private final ThreadPoolExecutor pool;

    private final BiFunction<Runnable, Long, @Nullable ScheduledFuture<?>> timer;

    private final Set<Completion> running = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean planned = new AtomicBoolean();

    /**
     * Creates the threads.
     *
     * @param pool starts with an idle thread or a new one, and lets tasks wait in its {@link IdleFirstQueue} after that
     * @param timer runs a task once after some nanoseconds, on a thread that must not be blocked
     */
    CompletionThreads(ThreadPoolExecutor pool, BiFunction<Runnable, Long, @Nullable ScheduledFuture<?>> timer) {
        this.pool = pool;
        this.timer = timer;
        this.pool.setMaximumPoolSize(MOST);
    }

    /**
     * Runs the completion on another thread.
     *
     * @throws RejectedExecutionException after the end
     */
    @Override
    public void execute(Runnable completion) {
        this.pool.execute(new Completion(completion));
        planCheck();
    }

    void shutdown() {
        this.pool.shutdown();
    }

    private void planCheck() {
        if (!this.pool.getQueue().isEmpty() && this.planned.compareAndSet(false, true)) {
            ScheduledFuture<?> unused = this.timer.apply(this::check, LONG);
        }
    }

    /** Starts a thread for each waiting completion whose thread is taken by a long one. */
    private void check() {
        try {
            long now = System.nanoTime();
            long blocked = this.running.stream()
                    .filter(each -> now - each.startedAt > LONG)
                    .count();
            int most = (int) Math.min(MOST + blocked, Integer.MAX_VALUE);
            this.pool.setMaximumPoolSize(most);
            for (int free = most - this.pool.getPoolSize(); free > 0; free--) {
                Runnable waiting = this.pool.getQueue().poll();
                if (waiting == null) {
                    break;
                }
                start(waiting);
            }
        } finally {
            this.planned.set(false);
            planCheck();
        }
    }

    private void start(Runnable waiting) {
        try {
            this.pool.execute(waiting);
        } catch (RejectedExecutionException ex) {
            // Ended meanwhile; what has been taken out of the queue must not be lost.
            this.pool.getThreadFactory().newThread(waiting).start();
        } catch (OutOfMemoryError ex) {
            // The system gives no more threads: an existing thread must complete it.
            boolean unused = this.pool.getQueue().add(waiting);
            throw ex;
        }
    }

    /** Later bursts need few threads again. */
    private void forgetBurst() {
        if (this.pool.getMaximumPoolSize() > MOST && this.running.isEmpty()) {
            this.pool.setMaximumPoolSize(MOST);
        }
    }

    private final class Completion implements Runnable {

        private final Runnable task;

        private volatile long startedAt;

        Completion(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            this.startedAt = System.nanoTime();
            CompletionThreads.this.running.add(this);
            try {
                this.task.run();
            } finally {
                CompletionThreads.this.running.remove(this);
                forgetBurst();
            }
        }
    }
}
