package io.github.lockstarter.lease.support;

import io.github.lockstarter.text.LockLog;
import java.time.Duration;
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
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The threads of one run of a registry, one pool for each kind of work, so that no kind can delay another: the timer never
 * does I/O, and the I/O threads never run user code. All threads are daemons that start when they are first needed. They
 * are not beans, because an application's own schedulers and executors would then back off from their auto-configuration.
 */
public final class LockThreads {

    private static final LockLog logger = LockLog.of(LockThreads.class);

    /** Completes futures after the run has stopped. */
    private static final ThreadFactory LATE = ThreadPools.daemons("lock-late-");

    /** How many dependent stages of grants run at the same time. */
    public static final int GRANT_STAGES = 200;

    private final ThreadPoolTaskScheduler timer = ThreadPools.scheduler("lock-timer-", 1);

    private final ThreadPoolTaskScheduler renewals = ThreadPools.scheduler("lock-renewal-", 4);

    private final ThreadPoolExecutor io = ThreadPools.pool("lock-io-", 4, new LinkedBlockingQueue<>());

    /** Separate from all others: detecting a store that hangs is its purpose. */
    private final ThreadPoolExecutor probe = ThreadPools.pool("lock-probe-", 1, new LinkedBlockingQueue<>());

    private final ThreadPoolExecutor cleanUp = ThreadPools.pool("lock-cleanup-", 2, new LinkedBlockingQueue<>());

    /** Completes the futures of grants. Bounded: a dependent stage often works as long as it holds its lock. */
    private final ThreadPoolExecutor stages = ThreadPools.pool("lock-stage-", GRANT_STAGES, new IdleFirstQueue());

    /** Completes every other future: blocked stages of grants must not delay a failure, a time-out or a loss. */
    private final CompletionThreads completions =
            new CompletionThreads(ThreadPools.pool("lock-completion-", 1, new IdleFirstQueue()), this::later);

    /** Releases for callers that must not wait, where the store has no calls that do not block. */
    private final ThreadPoolExecutor releases = ThreadPools.pool("lock-release-", 200, new IdleFirstQueue());

    /** Runs the task once, after the delay, on the timer thread, which must never wait. Returns null after the stop. */
    public @Nullable ScheduledFuture<?> later(Runnable task, long delayNanos) {
        try {
            return this.timer.getScheduledExecutor().schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            return null;
        }
    }

    /** Sends a round of renewals; does nothing after the stop, which may come while the timer checks leases. */
    public void renew(Runnable round) {
        try {
            this.renewals.execute(round);
        } catch (RejectedExecutionException ex) {
            logger.debug("Not renewed: the lock registry has stopped.");
        }
    }

    /** Runs a check of an asynchronous wait, which may block in the store. Returns false after the stop. */
    public boolean io(Runnable task) {
        return accepted(this.io, task);
    }

    /** Runs a question about the store's health. Returns false after the stop. */
    public boolean probe(Runnable question) {
        return accepted(this.probe, question);
    }

    /** Runs a clean-up in the store, separate from acquisitions and releases. Returns false after the stop. */
    public boolean cleanUp(Runnable task) {
        boolean accepted = accepted(this.cleanUp, task);
        if (!accepted) {
            logger.debug("Not cleaned up, the entry expires by itself: the lock registry has stopped.");
        }
        return accepted;
    }

    /** As {@link #cleanUp}, after the delay. */
    public void cleanUpLater(Runnable task, long delayNanos) {
        ScheduledFuture<?> unused = later(() -> cleanUp(task), delayNanos);
    }

    /** Runs a blocking release for a caller that must not block. */
    public CompletionStage<Boolean> release(BooleanSupplier release) {
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

    /** Completes the future of a grant; waits for a thread while too many dependent stages of grants block. */
    public void completeGrant(Runnable completion) {
        complete(this.stages, completion);
    }

    /** Returns whether completions of grants are waiting for a thread. */
    public boolean areGrantsDelayed() {
        return !this.stages.getQueue().isEmpty();
    }

    /** Completes a future with anything but a grant; never waits for user code that blocks. */
    public void complete(Runnable completion) {
        complete(this.completions, completion);
    }

    private static boolean accepted(Executor threads, Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException ex) {
            return false;
        }
    }

    private static void complete(Executor threads, Runnable completion) {
        if (!accepted(threads, completion)) {
            // The registry has stopped. The caller may be the thread that reads the store's replies, which dependent
            // stages must not occupy.
            LATE.newThread(completion).start();
        }
    }

    /** Takes no more work. Clean-ups that wait are still done. */
    public void shutdown() {
        this.timer.shutdown();
        this.renewals.shutdown();
        this.io.shutdownNow();
        this.probe.shutdownNow();
        this.cleanUp.shutdown();
        this.stages.shutdown();
        this.completions.shutdown();
        this.releases.shutdown();
    }

    /** Waits for the clean-ups: an entry left in the waiting line would be granted the lock although no caller waits. */
    public void awaitCleanUp(Duration atMost) throws InterruptedException {
        boolean unused = this.cleanUp.awaitTermination(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends clean-ups that have not ended by themselves. */
    public void shutdownNow() {
        this.cleanUp.shutdownNow();
    }
}
