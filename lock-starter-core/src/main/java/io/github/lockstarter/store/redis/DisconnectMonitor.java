package io.github.lockstarter.store.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Reports each connection of a Lettuce client that breaks or is opened, and the loss of subscriptions: Lettuce
 * reconnects without notice.
 *
 * @param onDisconnected called with each disconnection, on a thread of the client, which it must not block
 * @param onConnected called when a connection for commands was opened or reopened, on a thread of the client, which it
 *     must not block
 * @param onSubscriptionLost called on a thread of the client, which it must not block
 */
record DisconnectMonitor(Runnable onDisconnected, Runnable onConnected, Runnable onSubscriptionLost)
        implements RedisConnectionStateListener {

    /** Monitors the connections of the factory's client from now on, if it is Lettuce. */
    void watch(RedisConnectionFactory factory) {
        if (factory instanceof LettuceConnectionFactory lettuce) {
            lettuce.getRequiredNativeClient().addListener(this);
        }
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, @Nullable SocketAddress socketAddress) {
        if (!(connection instanceof StatefulRedisPubSubConnection)) {
            this.onConnected.run();
        }
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        this.onDisconnected.run();
        if (connection instanceof StatefulRedisPubSubConnection) {
            this.onSubscriptionLost.run();
        }
    }

    @Override
    public void onRedisExceptionCaught(RedisChannelHandler<?, ?> connection, Throwable cause) {
        // An exception that ends the connection is followed by a disconnection.
    }
}
