package io.github.lockstarter.lease;

import io.github.lockstarter.text.LockLog;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes what owners must know into the log, on a thread that runs nothing else. Listeners are user code and may hang; and
 * an appender may block, so that neither the watchdog nor a thread that reads the answers of the store can write.
 */
final class LogQueue {

    private static final LockLog logger = LockLog.of(LogQueue.class);

    /** The leases of a large instance, all lost in the same moment. */
    private static final int CAPACITY = 100_000;

    private final ThreadPoolExecutor thread = LockThreads.pool("lock-log-", 1, new LinkedBlockingQueue<>(CAPACITY));

    private final AtomicLong missing = new AtomicLong();

    /** Has the line written, after those before it; by the calling thread if this queue has been stopped. */
    void add(Runnable line) {
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
    void shutdown() {
        this.thread.shutdown();
    }

    /** Waits until all lines are written. */
    void awaitEnd(long millis) throws InterruptedException {
        boolean unused = this.thread.awaitTermination(millis, TimeUnit.MILLISECONDS);
    }
}
