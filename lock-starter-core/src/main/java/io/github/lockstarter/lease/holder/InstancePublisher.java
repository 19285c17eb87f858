package io.github.lockstarter.lease.holder;

import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the description of this instance from the start to the stop of a run: at most 30 seconds after the store is
 * connected, and
 * every 30 seconds after that. It lives for ten times as long without that, and longer than the lease of a renewed lock,
 * so that the holder of a lock can still be shown after its crash. No caller of a lock waits for this.
 */
public final class InstancePublisher {

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final Duration SHORTEST_TTL = Duration.ofNanos(REFRESH_NANOS).multipliedBy(10);

    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final LockLog logger = LockLog.of(InstancePublisher.class);

    private final ThisInstance instance;

    private final LockStore store;

    private final LockThreads threads;

    private final long refreshNanos;

    private final long ttlMillis;

    /** The pause before the next attempt after a failure. Attempts follow one another. */
    private volatile long retryNanos = FIRST_RETRY_NANOS;

    /**
     * Creates a publisher; {@link #start} starts it.
     *
     * @param lease lease of renewed locks
     */
    public InstancePublisher(ThisInstance instance, LockStore store, LockThreads threads, Duration lease) {
        this(instance, store, threads, REFRESH_NANOS, ttl(lease));
    }

    InstancePublisher(ThisInstance instance, LockStore store, LockThreads threads, long refreshNanos, Duration ttl) {
        this.instance = instance;
        this.store = store;
        this.threads = threads;
        this.refreshNanos = refreshNanos;
        this.ttlMillis = ttl.toMillis();
    }

    /** Returns the time to live of a description. */
    static Duration ttl(Duration lease) {
        Duration twoLeases = lease.multipliedBy(2);
        return twoLeases.compareTo(SHORTEST_TTL) > 0 ? twoLeases : SHORTEST_TTL;
    }

    /** Starts to publish. Ends when the threads end. */
    public void start() {
        CompletionStage<?> unused = this.instance.complete().thenRun(this::publishInBackground);
    }

    /** On an I/O thread: the first command may load classes of the client, and the timer must not wait for that. */
    private void publishInBackground() {
        boolean unused = this.threads.io(this::publish);
    }

    private void publish() {
        CompletionStage<?> reply;
        try {
            reply = this.store.publishInstance(this.instance.holder(), this.ttlMillis);
        } catch (RuntimeException ex) {
            published(ex);
            return;
        }
        if (reply != null) {
            CompletionStage<?> unused = reply.whenComplete((answer, failure) -> published(failure));
        }
    }

    private void published(@Nullable Throwable failure) {
        long pause = this.refreshNanos;
        if (failure != null) {
            logger.debug("The description of this instance was not published; it is tried again.", failure);
            pause = Math.min(this.retryNanos, this.refreshNanos);
        }
        this.retryNanos = failure != null ? 2 * pause : FIRST_RETRY_NANOS;
        ScheduledFuture<?> unused = this.threads.later(this::publishInBackground, pause);
    }
}
