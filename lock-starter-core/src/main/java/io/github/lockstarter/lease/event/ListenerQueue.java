package io.github.lockstarter.lease.event;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.lease.support.LogQueue;
import io.github.lockstarter.lease.support.ThreadPools;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Calls listeners one after the other on one thread. Events that do not fit into the queue are dropped, counted and logged. */
public final class ListenerQueue {

    static final int CAPACITY = 10_000;

    private static final LockLog logger = LockLog.of(ListenerQueue.class);

    /** Shortest time from one warning to the next. */
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ThreadPoolExecutor thread = ThreadPools.pool("lock-listener-", 1, new ArrayBlockingQueue<>(CAPACITY));

    private final LogQueue log;

    private final LongSupplier nanoTime;

    private final AtomicLong dropped = new AtomicLong();

    /** Time of {@link #nanoTime} before which no warning is logged. */
    private final AtomicLong nextWarning;

    /** The listener that is being called; null: none. Written by the listener thread. */
    private volatile @Nullable LockListener running;

    private volatile long runningSince;

    public ListenerQueue(LogQueue log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.nextWarning = new AtomicLong(nanoTime.getAsLong());
    }

    /** Calls each of the listeners on the listener thread. */
    void add(List<LockListener> listeners, Consumer<LockListener> call) {
        try {
            this.thread.execute(() -> callAll(listeners, call));
        } catch (RejectedExecutionException ex) {
            this.dropped.incrementAndGet();
            if (!this.thread.isShutdown()) {
                warn();
            }
        }
    }

    private void callAll(List<LockListener> listeners, Consumer<LockListener> call) {
        for (LockListener listener : listeners) {
            this.runningSince = this.nanoTime.getAsLong();
            this.running = listener;
            try {
                call.accept(listener);
            } finally {
                this.running = null;
            }
        }
    }

    private void warn() {
        long now = this.nanoTime.getAsLong();
        long due = this.nextWarning.get();
        if (now - due >= 0 && this.nextWarning.compareAndSet(due, now + QUIET_NANOS)) {
            String slow = slowest(now);
            this.log.add(() -> logger.warn("Listeners of locks are too slow: their queue of " + CAPACITY
                    + " events is full, and events are dropped, " + this.dropped.get()
                    + " so far. LockListener beans, and"
                    + " @EventListener methods for LockLostEvent and LockAtRiskEvent, miss them; locks, meters and the log"
                    + " of losses are not affected. " + slow
                    + "Return from listeners soon, and do slow work on threads of"
                    + " your own. The meter distributed.lock.events.dropped counts on; the next warning follows after "
                    + TimeUnit.NANOSECONDS.toMinutes(QUIET_NANOS) + " minutes at the earliest."));
        }
    }

    private String slowest(long now) {
        LockListener listener = this.running;
        return listener != null
                ? ClassUtils.getUserClass(listener).getName() + " has been running for "
                        + TimeUnit.NANOSECONDS.toMillis(now - this.runningSince) + " ms. "
                : "";
    }

    /** Returns the number of events that were dropped. */
    public long dropped() {
        return this.dropped.get();
    }

    /** Takes no more events; events in the queue are still delivered. */
    public void shutdown() {
        this.thread.shutdown();
    }

    /** Waits until all events are delivered. */
    public void awaitEnd(long millis) throws InterruptedException {
        boolean unused = this.thread.awaitTermination(millis, TimeUnit.MILLISECONDS);
    }
}
