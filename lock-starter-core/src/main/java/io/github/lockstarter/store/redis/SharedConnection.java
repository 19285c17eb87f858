package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
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
     * @param servers the servers as messages name them, without credentials
     * @param lettucePresent whether the classes of Lettuce are present
     */
    SharedConnection(
            RedisConnectionFactory factory,
            LockKeys keys,
            RedisStoreSettings settings,
            String servers,
            boolean lettucePresent) {
        super(servers, keys, settings);
        this.open = new Open(factory, new UnboundTemplate(factory));
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
            // A factory that was stopped and started again has another client. A client keeps one of several equal
            // listeners.
            new DisconnectMonitor(this.disconnects::incrementAndGet, () -> {}, () -> {})
                    .watch(DerivedFactory.targetOf(this.open.factory));
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Queries the owner of a lock that does not exist, which one node answers, and then the format; again until it
     * succeeds.
     */
    private void ask(ScheduledThreadPoolExecutor executor, ConnectionAttempts attempts, CountDownLatch attempted) {
        try {
            Object unused = this.open.template.opsForHash().get(this.keys.keyOf(""), LockKeys.OWNER);
            this.format.read(this.open.template);
            noteTime();
            this.isUnusable = isReplica();
            checkMessages();
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

    private void noteTime() {
        try {
            Object checked = this.open.template.execute(LuaScript.CHECK_TIME, List.of(this.keys.keyOf("")));
            this.open.noteTime(ServerCheck.toFailures(checked));
        } catch (RuntimeException ex) {
            ServerCheck.throwIfTransient(ex);
        }
    }

    /** Finds out whether scripts may publish. */
    private void checkMessages() {
        try {
            List<?> result = (List<?>) this.open.template.execute(
                    LuaScript.CHECK_MESSAGES,
                    List.of(this.keys.keyOf("")),
                    this.keys.channelOf(ServerCheck.FIELD),
                    ServerCheck.FIELD);
            String refusal = ServerCheck.toFailures(result.get(1)).get("PUBLISH");
            if (refusal != null && !RedisErrors.isMissingPermission(refusal)) {
                this.messages.refused(RedisErrors.unwrap(refusal));
            }
        } catch (RuntimeException ex) {
            if (RedisErrors.isMessageRefused(ex)) {
                this.messages.refused(String.valueOf(RedisErrors.errorReply(ex)));
            }
        }
    }

    /** Notes the server, and logs one that is a replica; a Sentinel has rejected the query of an owner. */
    private boolean isReplica() {
        try {
            Properties info = Objects.requireNonNull(this.open.template.execute((RedisCallback<@Nullable Properties>)
                    each -> each.serverCommands().info()));
            String lines = info.entrySet().stream()
                    .map(field -> field.getKey() + ":" + field.getValue())
                    .collect(Collectors.joining("\n"));
            this.server = ServerCheck.described(this.server, lines);
            return ServerCheck.logIfNoMaster(this.servers, "role:" + info.getProperty("role"));
        } catch (RuntimeException ex) {
            logger.debug("The role of the server was not checked.", ex);
            return false;
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
                byte[] unused =
                        opened.hashCommands().hGet(bytes(SharedConnection.this.keys.keyOf("")), bytes(LockKeys.OWNER));
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
