package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * The application's connection factory with its own timeouts: by configuration, or because no private connection can be
 * derived from it.
 */
public final class SharedConnection implements StoreConnection {

    private static final LockLog logger = LockLog.of(SharedConnection.class);

    private final RedisConnectionFactory factory;

    private final StringRedisTemplate template;

    private final LockKeys keys;

    private final WireFormat format;

    private final Duration timeout;

    private final boolean configured;

    private final boolean lettuce;

    /** Counts disconnections from the first start on; null before it, and for other clients than Lettuce. */
    private volatile @Nullable DisconnectMonitor monitor;

    private volatile @Nullable FirstAnswer firstAnswer;

    /**
     * Creates a connection over the factory, which is never closed.
     *
     * @param timeout half of the longest time that the start waits for an answer
     * @param configured whether it is configured; if false, a warning reports that there is no private connection
     * @param lettucePresent whether the classes of Lettuce are present
     */
    public SharedConnection(
            RedisConnectionFactory factory,
            LockKeys keys,
            Duration timeout,
            boolean configured,
            boolean lettucePresent) {
        this.factory = factory;
        this.template = new StringRedisTemplate(factory);
        this.template.setExposeConnection(true);
        this.keys = keys;
        this.format = new WireFormat(keys, servers());
        this.timeout = timeout;
        this.configured = configured;
        this.lettuce = lettucePresent && DisconnectMonitor.supports(factory);
    }

    @Override
    public void start(Listener listener) {
        if (!this.configured) {
            logger.warn("Cannot open a private connection to Redis for distributed locks: it requires Lettuce and a"
                    + " configuration that can be copied. Locks use the application's " + factoryName() + " with its"
                    + " timeouts, so that a slow command of the application can delay renewals until locks are lost. Use"
                    + " Lettuce with a standalone server, Sentinel or a cluster, or set"
                    + " distributed-lock.redis.private-connection=false to accept this.");
        }
        if (this.lettuce) {
            DisconnectMonitor created = new DisconnectMonitor(() -> {});
            created.watch((LettuceConnectionFactory) this.factory, () -> {});
            this.monitor = created;
        }
        listener.connected(this.factory);
        FirstAnswer first = new FirstAnswer(this::ask, servers());
        this.firstAnswer = first;
        first.await(this.timeout.multipliedBy(2));
    }

    /** Queries the owner of a lock that does not exist, which one node answers, and then the format. */
    private void ask() {
        Object unused = this.template.opsForHash().get(this.keys.keyOf(""), LockKeys.OWNER);
        this.format.read(this.template);
    }

    @Override
    public void stop() {
        // The factory belongs to the application.
        FirstAnswer first = this.firstAnswer;
        if (first != null) {
            first.stop();
        }
    }

    @Override
    public StringRedisTemplate template() {
        return this.template;
    }

    @Override
    public WireFormat format() {
        return this.format;
    }

    @Override
    public boolean isConnected() {
        FirstAnswer first = this.firstAnswer;
        return first != null && first.isReceived();
    }

    @Override
    public @Nullable Throwable connectFailure() {
        return null;
    }

    @Override
    public void check() {
        // The application's client reconnects by itself.
    }

    @Override
    public void findMaster() {
        // The application's client follows a failover by itself.
    }

    @Override
    public void discard() {
        // It is the application's.
    }

    @Override
    public boolean isPrivate() {
        return false;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public boolean countsAllReceivers() {
        return false;
    }

    @Override
    public @Nullable LettuceScriptExecutor scripts() {
        // Access to the native connection may open one, and block.
        return null;
    }

    @Override
    public long disconnects() {
        DisconnectMonitor started = this.monitor;
        return started != null ? started.count() : 0;
    }

    @Override
    public String description() {
        return "Redis over the application's " + factoryName() + " with its timeouts";
    }

    private String factoryName() {
        return ClassUtils.getUserClass(this.factory).getSimpleName();
    }

    @Override
    public String servers() {
        return "Redis";
    }
}
