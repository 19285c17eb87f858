package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The application's connection factory with its own timeouts: by configuration, or because no private connection can be
 * derived from it. The factory is never closed.
 */
final class SharedConnection extends StoreConnection {

    private static final LockLog logger = LockLog.of(SharedConnection.class);

    private final Open open;

    private final LockKeys keys;

    private final RedisStoreSettings settings;

    private final boolean lettucePresent;

    /** Asks until Redis has answered once: such a call may block for as long as the application's client permits. */
    private volatile @Nullable ScheduledThreadPoolExecutor background;

    private volatile boolean answered;

    /**
     * Creates a connection over the factory.
     *
     * @param lettucePresent whether the classes of Lettuce are present
     */
    SharedConnection(
            RedisConnectionFactory factory, LockKeys keys, RedisStoreSettings settings, boolean lettucePresent) {
        super("Redis", new WireFormat(keys, "Redis"));
        this.open = new Open(factory);
        this.current = this.open;
        this.keys = keys;
        this.settings = settings;
        this.lettucePresent = lettucePresent;
    }

    @Override
    void start(Listener listener) {
        if (this.settings.privateConnection()) {
            logger.warn("Cannot open a private connection to Redis for distributed locks: it requires Lettuce and a"
                    + " configuration that can be copied. Locks use the application's "
                    + factoryName() + " with its timeouts, so that a slow command of the application can delay renewals"
                    + " until locks are lost. Use Lettuce with a standalone server, Sentinel or a cluster, or set"
                    + " distributed-lock.redis.private-connection=false to accept this.");
        }
        if (this.lettucePresent) {
            // A factory that was stopped meanwhile has another client. A client keeps one of several equal listeners.
            new DisconnectMonitor(this.disconnects, () -> {}, () -> {}).watch(this.open.factory);
        }
        listener.connected(this.open.factory);
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, threads());
        ConnectionAttempts attempts = new ConnectionAttempts(this.servers);
        CountDownLatch attempted = new CountDownLatch(1);
        this.background = executor;
        this.answered = false;
        executor.execute(() -> ask(executor, attempts, attempted));
        try {
            boolean unused = attempted.await(2 * this.settings.commandTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        if (!this.answered) {
            attempts.startedWithout();
        }
    }

    /** Queries the owner of a lock that does not exist, which one node answers, and then the format; again until it succeeds. */
    private void ask(ScheduledThreadPoolExecutor executor, ConnectionAttempts attempts, CountDownLatch attempted) {
        try {
            Object unused = this.open.template.opsForHash().get(this.keys.keyOf(""), LockKeys.OWNER);
            this.format.read(this.open.template);
            this.answered = true;
            attempts.succeeded();
            executor.shutdown();
        } catch (Throwable ex) {
            if (!executor.isShutdown()) {
                ScheduledFuture<?> unused = executor.schedule(
                        () -> ask(executor, attempts, attempted), attempts.failed(ex), TimeUnit.MILLISECONDS);
            }
        } finally {
            attempted.countDown();
        }
    }

    @Override
    void stop() {
        ScheduledThreadPoolExecutor executor = this.background;
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    @Override
    boolean isConnected() {
        return this.answered;
    }

    @Override
    String description() {
        return "Redis over the application's " + factoryName() + " with its timeouts";
    }

    private String factoryName() {
        return ClassUtils.getUserClass(this.open.factory).getSimpleName();
    }
}
