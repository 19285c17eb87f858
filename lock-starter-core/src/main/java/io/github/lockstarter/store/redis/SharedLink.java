package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/** The application's own connection factory, with its timeouts, for clients from which none can be derived. */
final class SharedLink implements RedisLink {

    private static final LockLog logger = LockLog.of(SharedLink.class);

    private final RedisConnectionFactory factory;

    private final StringRedisTemplate template;

    private final LockKeys keys;

    private final Duration timeout;

    private final boolean wanted;

    private final boolean lettuce;

    private volatile @Nullable ConnectionBreaks breaks;

    private volatile @Nullable FirstAnswer firstAnswer;

    /**
     * Creates a link.
     *
     * @param timeout half of how long the start waits for an answer
     * @param wanted whether it is configured; otherwise no private connection can be derived from the factory
     */
    SharedLink(
            RedisConnectionFactory factory, LockKeys keys, Duration timeout, boolean wanted, boolean lettucePresent) {
        this.factory = factory;
        this.template = new StringRedisTemplate(factory);
        this.template.setExposeConnection(true);
        this.keys = keys;
        this.timeout = timeout;
        this.wanted = wanted;
        this.lettuce = lettucePresent && ConnectionBreaks.canCount(factory);
    }

    @Override
    public void start(Listener listener) {
        if (!this.wanted) {
            logger.warn("A private connection to Redis is not possible for distributed locks: it needs Lettuce and a"
                    + " configuration that can be copied. Locks use the application's " + factoryName() + " with its"
                    + " timeouts, and a slow command of the application can delay renewals until locks are lost. Use"
                    + " Lettuce with a standalone server, Sentinel or a cluster, or set"
                    + " distributed-lock.redis.private-connection=false to accept this.");
        }
        if (this.lettuce) {
            this.breaks = ConnectionBreaks.of(this.factory);
        }
        listener.connected(this.factory);
        FirstAnswer first = new FirstAnswer(this::ask, servers());
        this.firstAnswer = first;
        first.await(this.timeout.multipliedBy(2));
    }

    /** Sends the question of {@link RedisLockStore#isLocked}, for a lock that does not exist: one node answers it. */
    private void ask() {
        Boolean unused = this.template.opsForHash().hasKey(this.keys.keyOf(""), RedisLockStore.OWNER);
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
    public boolean isConnected() {
        FirstAnswer first = this.firstAnswer;
        return first != null && first.isReceived();
    }

    @Override
    public @Nullable Throwable trouble() {
        return null;
    }

    @Override
    public void suspect() {
        // The client mends its own connections.
    }

    @Override
    public void misled() {
        // As above.
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
    public boolean countsReceivers() {
        return false;
    }

    @Override
    public @Nullable ScriptCalls calls() {
        // Getting at the application's connection may open one, and block.
        return null;
    }

    @Override
    public long breaks() {
        ConnectionBreaks counted = this.breaks;
        return counted != null ? counted.count() : 0;
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
