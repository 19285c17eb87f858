package io.github.lockstarter.store.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/** The application's own connection factory, with its timeouts, for clients from which none can be derived. */
final class SharedLink implements RedisLink {

    private final RedisConnectionFactory factory;

    private final StringRedisTemplate template;

    private final String reason;

    private final boolean lettuce;

    private volatile @Nullable ConnectionBreaks breaks;

    SharedLink(RedisConnectionFactory factory, String reason, boolean lettucePresent) {
        this.factory = factory;
        this.template = new StringRedisTemplate(factory);
        this.template.setExposeConnection(true);
        this.reason = reason;
        this.lettuce = lettucePresent && ConnectionBreaks.canCount(factory);
    }

    @Override
    public void start(Listener listener) {
        if (this.lettuce) {
            this.breaks = ConnectionBreaks.of(this.factory);
        }
        listener.connected(this.factory);
    }

    @Override
    public void stop() {
        // The factory belongs to the application.
    }

    @Override
    public StringRedisTemplate template() {
        return this.template;
    }

    @Override
    public boolean isConnected() {
        // Asking could open a connection, and block; the application's client reports its own failures.
        return true;
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
        return "over the application's " + ClassUtils.getUserClass(this.factory).getSimpleName()
                + " with its timeouts (" + this.reason + "): a slow command of the application can delay renewals";
    }

    @Override
    public String servers() {
        return "Redis";
    }
}
