package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.store.redis.connection.ConnectionAttempts;
import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Opens connections to one master, one after the other, on a background thread that ends when it is idle. A connection
 * that is broken is not opened again before there is something to confirm.
 */
final class MasterLink {

    private static final long REOPEN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<StatefulRedisConnection<byte[], byte[]>> opener;

    private final boolean sentinel;

    private final Acknowledgements acknowledgements;

    private final ShortageLog shortages;

    private final ConnectionAttempts attempts;

    private final ScheduledThreadPoolExecutor background;

    private volatile @Nullable RuntimeException failure;

    /** When the next attempt may follow a failed one, by {@link System#nanoTime()}. */
    private volatile long retryAt;

    /** When the last connection was opened, by {@link System#nanoTime()}. */
    private volatile long openedAt;

    /**
     * Creates a link without a connection.
     *
     * @param opener opens a connection, and blocks for one command timeout at most
     * @param master the master as messages name it, without credentials
     * @param sentinel whether Sentinel names the master
     */
    MasterLink(
            Supplier<StatefulRedisConnection<byte[], byte[]>> opener,
            String master,
            boolean sentinel,
            Acknowledgements acknowledgements) {
        this.opener = opener;
        this.sentinel = sentinel;
        this.acknowledgements = acknowledgements;
        this.shortages = new ShortageLog(master, acknowledgements);
        this.attempts = new ConnectionAttempts(master + " (confirm-replicas)");
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-confirm-");
        threads.setDaemon(true);
        this.background = new ScheduledThreadPoolExecutor(1, threads);
        this.background.setKeepAliveTime(3, TimeUnit.SECONDS);
        this.background.allowCoreThreadTimeOut(true);
    }

    ShortageLog shortages() {
        return this.shortages;
    }

    /** Returns whether a new connection may lead to another master; not again within a second. */
    boolean mayLeadElsewhere() {
        return this.sentinel && System.nanoTime() - this.openedAt > REOPEN_NANOS;
    }

    /** Opens a connection in the background; shortly after a failed attempt, the user is notified of that one. */
    void open(User user) {
        RuntimeException known = this.failure;
        if (known != null && this.retryAt - System.nanoTime() > 0) {
            user.notOpened(known);
            return;
        }
        try {
            this.background.execute(() -> attempt(user));
        } catch (RejectedExecutionException ex) {
            user.notOpened(ex);
        }
    }

    private void attempt(User user) {
        StatefulRedisConnection<byte[], byte[]> connection = null;
        try {
            connection = this.opener.get();
            countReplicas(connection);
            this.failure = null;
            this.openedAt = System.nanoTime();
            this.attempts.succeeded();
            user.opened(connection);
        } catch (Throwable ex) {
            // Errors as well, or the user would wait for this attempt for ever.
            RuntimeException cause = ex instanceof RuntimeException known ? known : new IllegalStateException(ex);
            close(connection);
            long pauseMillis = this.background.isShutdown() ? 0 : this.attempts.failed(cause);
            this.retryAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
            this.failure = cause;
            user.notOpened(cause);
        }
    }

    /**
     * Waits for the replicas once, so that a shortage is logged before a lock fails, and a replica is not taken for the
     * master. Other errors are left to the first pair, whose message names the lock.
     */
    private void countReplicas(StatefulRedisConnection<byte[], byte[]> connection) {
        try {
            long replicas = connection
                    .async()
                    .waitForReplication(this.acknowledgements.required(), this.acknowledgements.waitMillis())
                    .get(this.acknowledgements.timeout().toNanos(), TimeUnit.NANOSECONDS);
            this.shortages.acknowledged(replicas);
        } catch (ExecutionException ex) {
            if (!(ex.getCause() instanceof RedisCommandExecutionException error) || isFromReplica(error)) {
                throw new IllegalStateException(ex.getCause());
            }
        } catch (TimeoutException ex) {
            throw new IllegalStateException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    private static boolean isFromReplica(RedisCommandExecutionException error) {
        return ErrorReplies.isNotMaster(error);
    }

    /** Closes a connection without waiting for it. */
    static void close(@Nullable StatefulRedisConnection<byte[], byte[]> connection) {
        if (connection != null) {
            Object unused = connection.closeAsync();
        }
    }

    /** Ends the background thread; waits until no connection is being opened any more, at most for one timeout. */
    void stop() {
        this.background.shutdownNow();
        try {
            boolean unused = this.background.awaitTermination(
                    this.acknowledgements.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Receives the outcome of one attempt to open a connection. */
    interface User {

        /** Called with an open connection, which the user closes. */
        void opened(StatefulRedisConnection<byte[], byte[]> connection);

        /** Called when there is no connection. */
        void notOpened(RuntimeException cause);
    }
}
