package io.github.lockstarter.lease;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The threads of one registry, each kind for one sort of work, so that none can hold up another: the timer never does
 * I/O, the I/O threads never run foreign code. All are daemons, started when first needed and never exposed as beans,
 * for an application's own schedulers and executors would back off from them.
 */
final class LockThreads {

    private static final LockLog logger = LockLog.of(LockThreads.class);

    /** For futures that are completed after the end. */
    private static final ThreadFactory LATE = daemons("lock-late-");

    /** How many dependent stages of grants run at the same time. */
    static final int GRANT_STAGES = 200;

    private final ThreadPoolTaskScheduler timer = scheduler("lock-timer-", 1);

    private final ThreadPoolTaskScheduler renewals = scheduler("lock-renewal-", 4);

    private final ThreadPoolExecutor io = pool("lock-io-", 4, new LinkedBlockingQueue<>());

    /** Apart from all others: a store that hangs is just what it is to find out. */
    private final ThreadPoolExecutor probe = pool("lock-probe-", 1, new LinkedBlockingQueue<>());

    private final LogQueue log = new LogQueue();

    private final ListenerQueue listeners = new ListenerQueue(this.log, System::nanoTime);

    private final ThreadPoolExecutor cleanUp = pool("lock-cleanup-", 2, new LinkedBlockingQueue<>());

    /** Completes the futures of grants. Bounded: a dependent stage often works as long as it holds its lock. */
    private final ThreadPoolExecutor stages = pool("lock-stage-", GRANT_STAGES, new IdleFirstQueue());

    /** Completes every other future: stages of grants that block must not delay a failure, a time-out or a loss. */
    private final CompletionThreads completions =
            new CompletionThreads(pool("lock-completion-", 1, new IdleFirstQueue()), this::later);

    /** Releases for callers that must not wait, where the store has no calls that do not block. */
    private final ThreadPoolExecutor releases = pool("lock-release-", 200, new IdleFirstQueue());

    /** Runs the task once, after the delay, on the one thread that must never wait. Null after the end. */
    @Nullable
    ScheduledFuture<?> later(Runnable task, long delayNanos) {
        try {
            return this.timer.getScheduledExecutor().schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            return null;
        }
    }

    /** Runs a round of renewals; not after the end, which may come while the timer looks at leases. */
    void renew(Runnable round) {
        try {
            this.renewals.execute(round);
        } catch (RejectedExecutionException ex) {
            logger.debug("Not renewed: the lock registry has stopped.");
        }
    }

    /** Talks to the store for those who do not wait for it themselves. False after the end. */
    boolean io(Runnable task) {
        try {
            this.io.execute(task);
            return true;
        } catch (RejectedExecutionException ex) {
            return false;
        }
    }

    /** Asks the store how it is. False after the end. */
    boolean probe(Runnable question) {
        try {
            this.probe.execute(question);
            return true;
        } catch (RejectedExecutionException ex) {
            return false;
        }
    }

    /** Takes back what was left in the store, apart from those who still want something of it. False after the end. */
    boolean cleanUp(Runnable task) {
        try {
            this.cleanUp.execute(task);
            return true;
        } catch (RejectedExecutionException ex) {
            logger.debug("Not taken back, it runs out by itself: the lock registry has stopped.");
            return false;
        }
    }

    /** As {@link #cleanUp}, after the delay. */
    void cleanUpLater(Runnable task, long delayNanos) {
        ScheduledFuture<?> unused = later(() -> cleanUp(task), delayNanos);
    }

    /** Waits for the store in the place of a caller that must not. */
    CompletionStage<Boolean> release(BooleanSupplier release) {
        CompletableFuture<Boolean> ours = new CompletableFuture<>();
        complete(this.releases, () -> {
            try {
                ours.complete(release.getAsBoolean());
            } catch (RuntimeException | Error ex) {
                ours.completeExceptionally(ex);
            }
        });
        return ours;
    }

    /** Calls listeners, one after the other; drops and counts what does not fit the queue. */
    void listen(List<LockListener> called, Consumer<LockListener> call) {
        this.listeners.add(called, call);
    }

    /** Writes into the log, where neither user code nor a slow appender can hold up anything else. */
    void log(Runnable line) {
        this.log.add(line);
    }

    /** Completes the future of a grant; waits for a thread while too many dependent stages of grants block. */
    void completeGrant(Runnable completion) {
        complete(this.stages, completion);
    }

    /** Whether completions of grants have to wait for a thread. */
    boolean areGrantsDelayed() {
        return !this.stages.getQueue().isEmpty();
    }

    /** Completes a future with anything but a grant; never waits for user code that blocks. */
    void complete(Runnable completion) {
        complete(this.completions, completion);
    }

    private static void complete(Executor threads, Runnable completion) {
        try {
            threads.execute(completion);
        } catch (RejectedExecutionException ex) {
            // The registry has stopped. The caller may be a thread that reads the answers of the store, which dependent
            // stages must not occupy.
            LATE.newThread(completion).start();
        }
    }

    long droppedEvents() {
        return this.listeners.dropped();
    }

    /** Ends all threads; gives what has still to be told or taken back a moment. */
    void stop(Duration atMost) {
        this.timer.shutdown();
        this.renewals.shutdown();
        this.io.shutdownNow();
        this.probe.shutdownNow();
        this.cleanUp.shutdown();
        this.listeners.shutdown();
        this.log.shutdown();
        this.stages.shutdown();
        this.completions.shutdown();
        this.releases.shutdown();
        try {
            // Places in the waiting line that were given up just now: left there, the lock would go to nobody.
            this.cleanUp.awaitTermination(atMost.toMillis(), TimeUnit.MILLISECONDS);
            this.log.awaitEnd(atMost.toMillis());
            this.listeners.awaitEnd(atMost.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        this.cleanUp.shutdownNow();
    }

    private static ThreadPoolTaskScheduler scheduler(String prefix, int size) {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setThreadNamePrefix(prefix);
        scheduler.setPoolSize(size);
        scheduler.setDaemon(true);
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.initialize();
        return scheduler;
    }

    private static CustomizableThreadFactory daemons(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    static ThreadPoolExecutor pool(String prefix, int size, BlockingQueue<Runnable> queue) {
        CustomizableThreadFactory threads = daemons(prefix);
        if (queue instanceof IdleFirstQueue idleFirst) {
            return new ThreadPoolExecutor(0, size, 30, TimeUnit.SECONDS, queue, threads, idleFirst);
        }
        ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, queue, threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
