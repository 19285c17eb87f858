package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The application's connection factory with its own timeouts: by configuration, or because no private connection can be
 * derived from it. The factory is never closed.
 */
final class SharedConnection extends StoreConnection {

    private static final LockLog logger = LockLog.of(SharedConnection.class);

    private final OpenConnection open;

    private final boolean lettucePresent;

    private volatile boolean answered;

    /**
     * Creates a connection over the factory.
     *
     * @param configuration the configuration of the factory, or {@code null} if it is not known
     * @param lettucePresent whether the classes of Lettuce are present
     */
    SharedConnection(
            RedisConnectionFactory factory,
            LockKeys keys,
            RedisStoreSettings settings,
            @Nullable DerivedFactory configuration,
            boolean lettucePresent) {
        super(configuration, keys, settings);
        this.open = new OpenConnection(factory, new UnboundTemplate(factory));
        this.current = this.open;
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
        boolean isLettuce =
                this.lettucePresent && DerivedFactory.targetOf(this.open.factory) instanceof LettuceConnectionFactory;
        if (!isLettuce && this.settings.messages() == MessageMode.AUTO) {
            logger.info("Messages about locks that are handed over are not probed over the application's "
                    + factoryName()
                    + ": scripts publish them, or the client if the server refuses that at the start. If"
                    + " the server loses messages of scripts, set distributed-lock.redis.messages=client.");
        }
        if (isLettuce) {
            // A factory that was stopped and started again has another client. A client keeps one of several equal
            // listeners.
            new DisconnectMonitor(this.disconnects::incrementAndGet, this::reconnected, () -> {})
                    .watch(DerivedFactory.targetOf(this.open.factory));
            PipelineGuard.watch(DerivedFactory.targetOf(this.open.factory));
        }
        listener.connected(this.open.factory);
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, threads());
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
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

    /** Asks for the time, until the server answers, and then checks it. */
    private void ask(ScheduledThreadPoolExecutor executor, ConnectionAttempts attempts, CountDownLatch attempted) {
        try {
            noteTime(this.open, askForTime(this.open), this.settings.commandTimeout());
            logTime(null, this.open);
            boolean unused = checkServer(this.open, this.format.read(this.open));
            this.answered = true;
            attempts.succeeded();
        } catch (Throwable ex) {
            if (!executor.isShutdown()) {
                ScheduledFuture<?> unused = executor.schedule(
                        () -> ask(executor, attempts, attempted), attempts.failed(ex), TimeUnit.MILLISECONDS);
            }
        } finally {
            attempted.countDown();
        }
    }

    private void reconnected() {
        if (this.answered) {
            askAgainLater();
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
        return this.servers + " over the application's " + factoryName() + " with its timeouts";
    }

    private String factoryName() {
        return ClassUtils.getUserClass(this.open.factory).getSimpleName();
    }

    @Override
    LockStoreException failed(Throwable failure, String subject, @Nullable String key) {
        return failure instanceof NoOtherConnection
                ? new LockStoreException(
                        "A command for " + subject
                                + " was not sent: a transaction, a pipeline or a session of this thread has a connection of"
                                + " the application's " + factoryName() + ", and its pool gave no other one within "
                                + this.settings.commandTimeout().toMillis()
                                + " ms. Raise max-active of spring.data.redis.jedis.pool or spring.data.redis.lettuce.pool"
                                + " to two for each such thread, or acquire the lock before.",
                        failure,
                        false,
                        false)
                : super.failed(failure, subject, key);
    }

    /**
     * Does not use the connection of a transaction, a pipeline or a session that Spring Data has bound to the thread:
     * it collects commands, which are executed later than the release that undoes them. Such a thread takes another
     * connection.
     */
    private final class UnboundTemplate extends StringRedisTemplate {

        private final RedisConnectionFactory factory;

        UnboundTemplate(RedisConnectionFactory factory) {
            super(factory);
            this.factory = factory;
        }

        @Override
        public <T extends @Nullable Object> T execute(
                RedisCallback<T> action, boolean exposeConnection, boolean pipeline) {
            if (!TransactionSynchronizationManager.hasResource(this.factory)) {
                return super.execute(action, exposeConnection, pipeline);
            }
            try (RedisConnection another = another()) {
                return action.doInRedis(another);
            }
        }

        /**
         * Waits in a separate thread until there is one: a pool may wait without a limit for the connection that this
         * thread has.
         */
        private RedisConnection another() {
            CompletableFuture<RedisConnection> found = CompletableFuture.supplyAsync(
                    this::opened, task -> threads().newThread(task).start());
            try {
                return found.get(SharedConnection.this.settings.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException ex) {
                Throwable failure = Objects.requireNonNull(ex.getCause());
                throw RedisErrors.isExhausted(failure)
                        ? new NoOtherConnection(failure)
                        : new RedisSystemException(RedisErrors.rootMessage(failure), failure);
            } catch (TimeoutException | InterruptedException ex) {
                CompletableFuture<Void> unused = found.thenAccept(RedisConnection::close);
                if (ex instanceof TimeoutException) {
                    throw new NoOtherConnection(ex);
                }
                Thread.currentThread().interrupt();
                throw new RedisSystemException("The thread was interrupted.", ex);
            }
        }

        private RedisConnection opened() {
            RedisConnection opened = this.factory.getConnection();
            try {
                // Clients take it from the pool with the first command only.
                byte[] unused = opened.hashCommands()
                        .hGet(
                                OpenConnection.bytes(SharedConnection.this.keys.keyOf("")),
                                OpenConnection.bytes(LockKeys.OWNER));
            } catch (RuntimeException ex) {
                opened.close();
                throw ex;
            }
            return opened;
        }
    }

    /** Thrown if there is no connection other than the one that is bound to the thread. */
    private static final class NoOtherConnection extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NoOtherConnection(Throwable cause) {
            super(cause);
        }
    }
}
