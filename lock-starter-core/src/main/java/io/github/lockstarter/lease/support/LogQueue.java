package io.github.lockstarter.lease.support;

import io.github.lockstarter.text.LockLog;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes log lines on a thread of its own. Listeners are user code and may hang, and an appender may block: neither may
 * delay the watchdog, or a thread that reads the store's replies.
 */
public final class LogQueue {

    private static final LockLog logger = LockLog.of(LogQueue.class);

    /** Room for all leases of a large instance, lost in the same moment. */
    private static final int CAPACITY = 100_000;

    private final ThreadPoolExecutor thread = ThreadPools.pool("lock-log-", 1, new LinkedBlockingQueue<>(CAPACITY));

    private final AtomicLong missing = new AtomicLong();

    /** Writes the line after those before it; on the calling thread if this queue has been stopped. */
    public void add(Runnable line) {
        try {
            this.thread.execute(() -> write(line));
        } catch (RejectedExecutionException ex) {
            if (this.thread.isShutdown()) {
                line.run();
            } else {
                this.missing.incrementAndGet();
            }
        }
    }

    private void write(Runnable line) {
        line.run();
        long missed = this.missing.get() > 0 ? this.missing.getAndSet(0) : 0;
        if (missed > 0) {
            logger.error(
                    missed + " messages about locks are missing from the log: logging was so slow that the queue of "
                            + CAPACITY + " messages was full. Check whether an appender blocks.");
        }
    }

    /** Takes no more lines; those that wait are still written. */
    public void shutdown() {
        this.thread.shutdown();
    }

    /** Waits until all lines are written. */
    public void awaitEnd(long millis) throws InterruptedException {
        boolean unused = this.thread.awaitTermination(millis, TimeUnit.MILLISECONDS);
    }
}
