package io.github.lockstarter.engine;

import io.github.lockstarter.store.StackRoom;
import io.github.lockstarter.text.LockLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads of one run, except for the thread of the watchdog: one that writes the log, one that calls listeners, and
 * several that run dependent stages of futures. Code of users and log appenders run only on these threads, and may
 * block them.
 *
 * <p>Tasks are dropped only if a queue is full, and log lines and calls of listeners also if they fail because the heap
 * is full. A method throws only if the stack of the caller is almost exhausted or the heap is full, and then before it
 * has changed anything, except that a line or a call may already be queued. A task for which there is no thread stays
 * in its queue, and the thread of the watchdog, which exists from the start, tries again.
 *
 * <p>All threads are daemons. They are not beans, because the auto-configuration of an application's own executors
 * would then back off.
 */
public final class RunThreads {

    /** The thread of the watchdog, which exists from the start to the stop of a run. */
    public interface Timer {

        /**
         * Runs a task once, after the delay in nanoseconds. The task must not block.
         *
         * @return {@code false} after the stop, in which case the task does not run
         */
        boolean later(Runnable task, long delayNanos);
    }

    /** Maximum number of dependent stages of grants that run at the same time. */
    public static final int GRANT_STAGES = 200;

    private static final int OTHER_STAGES = 1_000;

    /** Maximum number of log lines that wait. All leases of a large instance may be lost at the same moment. */
    private static final int LOG_LINES = 100_000;

    /** Maximum number of events that wait for a listener. */
    public static final int LISTENER_CALLS = 10_000;

    private static final long IDLE_SECONDS = 30;

    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    private static final LockLog logger = LockLog.of(RunThreads.class);

    private final Timer timer;

    private final Serial log = new Serial("lock-log-", LOG_LINES);

    private final AtomicLong missingLines = new AtomicLong();

    private final Serial listeners = new Serial("lock-listener-", LISTENER_CALLS);

    /**
     * Threads of the stages of grants. They are limited, because a stage often runs for as long as it holds its lock.
     */
    private final Stages grants = new Stages("lock-stage-", GRANT_STAGES);

    /**
     * Threads of all other stages. They are separate, because stages of grants must not delay a failure, a time-out or
     * a loss.
     */
    private final Stages others = new Stages("lock-completion-", OTHER_STAGES);

    public RunThreads(Timer timer) {
        this.timer = timer;
    }

    private static ThreadFactory daemons(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    /** Writes a line to the log after the lines before it. After the stop, the calling thread writes it. */
    public void log(Runnable line) {
        if (this.log.thread.isShutdown()) {
            line.run();
        } else if (!this.log.add(() -> write(line))) {
            this.missingLines.incrementAndGet();
        }
    }

    private void write(Runnable line) {
        line.run();
        long missed = this.missingLines.get() > 0 ? this.missingLines.getAndSet(0) : 0;
        if (missed > 0) {
            logger.error(
                    missed + " messages about locks are missing from the log: logging was so slow that the queue of "
                            + LOG_LINES + " messages was full. Check whether an appender blocks.");
        }
    }

    /**
     * Calls a listener after the calls before it. Does nothing after the stop.
     *
     * @return {@code false} if the queue is full and the listener is not called
     */
    public boolean call(Runnable listener) {
        return this.listeners.add(listener) || this.listeners.thread.isShutdown();
    }

    /**
     * Completes a future with a grant.
     *
     * @return whether the future is completed without delay; {@code false} if stages of other grants occupy all threads
     *     for that
     */
    public boolean completeGrant(Runnable completion) {
        return this.grants.start(completion);
    }

    /** Completes a future with any outcome except a grant. */
    public void complete(Runnable completion) {
        boolean unused = this.others.start(completion);
    }

    /**
     * Starts threads for tasks that have none, because the system refused a thread or the heap was full. Called about
     * once a second.
     */
    public void keepHouse() {
        this.listeners.wake();
        this.log.wake();
        this.grants.wake();
        this.others.wake();
    }

    /**
     * Schedules a task again. If that fails, the housekeeping retries.
     *
     * @return {@code false} after the stop
     */
    private boolean retry(Runnable task) {
        try {
            return later(task, RETRY);
        } catch (Throwable ex) {
            return true;
        }
    }

    /**
     * Runs a task on the thread of the watchdog.
     *
     * @see Timer#later
     */
    public boolean later(Runnable task, long delayNanos) {
        return this.timer.later(task, delayNanos);
    }

    /**
     * Ends all threads. The tasks of listeners and of the log get about a second each. Stages that are running
     * continue.
     */
    public void stop() {
        this.listeners.stop();
        this.log.stop();
        this.grants.stop();
        this.others.stop();
    }

    /** Runs tasks one after the other on one thread, which is started when it is first needed. */
    private final class Serial {

        private final BlockingQueue<Runnable> tasks;

        private final ThreadPoolExecutor thread;

        Serial(String prefix, int capacity) {
            this.tasks = new LinkedBlockingQueue<>(capacity);
            this.thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, this.tasks, daemons(prefix));
            this.thread.allowCoreThreadTimeOut(true);
        }

        boolean add(Runnable task) {
            StackRoom.require();
            // In contrast to execute(), the task is kept if the system refuses a thread.
            boolean isAdded = !this.thread.isShutdown() && this.tasks.offer(task);
            if (isAdded) {
                wake();
            }
            return isAdded;
        }

        /** Starts a thread if there is none. On a full heap, the executor can lose its thread as well. */
        void wake() {
            if (!this.tasks.isEmpty()) {
                try {
                    boolean unused = this.thread.prestartCoreThread();
                } catch (Throwable ex) {
                    boolean unused = retry(this::wake);
                }
            }
        }

        void stop() {
            this.thread.shutdown();
            wake();
            try {
                boolean unused = this.thread.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            if (this.thread.getPoolSize() == 0) {
                // Tasks may have been added at the last moment, or never got a thread.
                List<Runnable> rest = new ArrayList<>();
                this.tasks.drainTo(rest);
                rest.forEach(Runnable::run);
            }
        }
    }

    /** Runs dependent stages of futures, which may block, on idle threads or on new ones up to a limit. */
    private final class Stages {

        private final int most;

        private final ThreadPoolExecutor pool;

        /** Stages that no thread runs yet. */
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        /** Number of stages that wait or run. */
        private final AtomicInteger open = new AtomicInteger();

        private final AtomicInteger threads = new AtomicInteger();

        private final AtomicBoolean isStarting = new AtomicBoolean();

        private final AtomicBoolean wasReported = new AtomicBoolean();

        Stages(String prefix, int most) {
            this.most = most;
            // This class enforces the limit, because a thread of the pool becomes idle only a moment after its last
            // stage.
            this.pool = new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons(prefix));
        }

        /**
         * Adds a stage. If the heap is full, the stage may run again after it has failed.
         *
         * @return whether the stage runs without waiting for other stages
         */
        boolean start(Runnable stage) {
            StackRoom.require();
            this.waiting.add(stage);
            boolean isPrompt = this.open.incrementAndGet() <= this.most;
            if (!isPrompt && this.wasReported.compareAndSet(false, true)) {
                log(() -> logger.warn("All " + this.most + " threads that complete futures of locks are blocked by"
                        + " dependent stages, so that further ones wait. Use an executor of your own for stages that"
                        + " block (thenApplyAsync(function, executor))."));
            }
            wake();
            return isPrompt;
        }

        /**
         * Starts a thread if stages wait. Each thread starts the next one before it runs a stage, because the stage may
         * block. A thread for each of many stages that do not block would cost more than the stages.
         */
        void wake() {
            if (this.waiting.isEmpty()
                    || this.threads.get() >= this.most
                    || !this.isStarting.compareAndSet(false, true)) {
                return;
            }
            try {
                this.pool.execute(this::runAll);
            } catch (Throwable ex) {
                this.isStarting.set(false);
                // The system has refused another thread.
                if (!retry(this::wake)) {
                    // After the stop, no retry is possible, so the present thread runs the stages.
                    runAll();
                }
            }
        }

        private void runAll() {
            this.threads.incrementAndGet();
            this.isStarting.set(false);
            try {
                for (Runnable stage = this.waiting.poll(); stage != null; stage = this.waiting.poll()) {
                    wake();
                    run(stage);
                    this.open.decrementAndGet();
                }
            } finally {
                this.threads.decrementAndGet();
                // Stages may have been added during this time.
                wake();
            }
        }

        private static void run(Runnable stage) {
            boolean isOver = false;
            while (!isOver) {
                try {
                    stage.run();
                    isOver = true;
                } catch (OutOfMemoryError ex) {
                    // The future, or another stage of it, may not be completed.
                    LockSupport.parkNanos(RETRY);
                } catch (Throwable ex) {
                    logger.debug("A future of a lock was not completed.", ex);
                    isOver = true;
                }
            }
        }

        /** Lets idle threads end. A stage that is added later starts a thread that ends after it. */
        void stop() {
            this.pool.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
        }
    }
}
