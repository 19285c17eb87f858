package io.github.lockstarter.store.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Counts how often connections of a Lettuce client broke. A client that is not ours, or is older than 6.7, repeats
 * commands after a break, and then its answer may be that to the second execution.
 */
final class ConnectionBreaks implements RedisConnectionStateListener {

    private final AtomicLong count = new AtomicLong();

    /** Whether that factory's client is one that repeats commands. */
    static boolean canCount(RedisConnectionFactory factory) {
        return factory instanceof LettuceConnectionFactory;
    }

    /** Counts the breaks of that factory's connections from now on. */
    static ConnectionBreaks of(RedisConnectionFactory factory) {
        ConnectionBreaks breaks = new ConnectionBreaks();
        breaks.countThoseOf((LettuceConnectionFactory) factory);
        return breaks;
    }

    /** Counts the breaks of that factory's connections too, from now on. */
    void countThoseOf(LettuceConnectionFactory factory) {
        factory.getRequiredNativeClient().addListener(this);
    }

    long count() {
        return this.count.get();
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, @Nullable SocketAddress socketAddress) {
        this.count.incrementAndGet();
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        this.count.incrementAndGet();
    }

    @Override
    public void onRedisExceptionCaught(RedisChannelHandler<?, ?> connection, Throwable cause) {
        // What matters is whether the connection ends.
    }
}
