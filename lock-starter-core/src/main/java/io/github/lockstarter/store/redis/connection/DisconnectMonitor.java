package io.github.lockstarter.store.redis.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Counts how often the connections of Lettuce clients broke, and reports new connections and the loss of subscriptions,
 * both of which Lettuce renews without notice. The application's client, and Lettuce before version 6.7, repeat commands after a
 * reconnection: a reply may then be that to the second execution. Thread-safe.
 */
final class DisconnectMonitor {

    private final AtomicLong count = new AtomicLong();

    private final Runnable onConnected;

    /**
     * Creates a monitor of no connection yet.
     *
     * @param onConnected called when a connection for commands was opened or reopened, on a thread of the client, which it
     *     must not block
     */
    DisconnectMonitor(Runnable onConnected) {
        this.onConnected = onConnected;
    }

    /** Returns whether connections of that factory can be monitored. */
    static boolean supports(RedisConnectionFactory factory) {
        return factory instanceof LettuceConnectionFactory;
    }

    /**
     * Monitors the connections of the factory's client from now on.
     *
     * @param onSubscriptionLost called on a thread of the client, which it must not block
     */
    void watch(LettuceConnectionFactory factory, Runnable onSubscriptionLost) {
        factory.getRequiredNativeClient().addListener(new StateListener(onSubscriptionLost));
    }

    /**
     * Returns a number that changes with each disconnection. A client repeats a command only after its connection has
     * broken, so that new connections do not count.
     */
    long count() {
        return this.count.get();
    }

    private final class StateListener implements RedisConnectionStateListener {

        private final Runnable onSubscriptionLost;

        StateListener(Runnable onSubscriptionLost) {
            this.onSubscriptionLost = onSubscriptionLost;
        }

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, @Nullable SocketAddress socketAddress) {
            if (!(connection instanceof StatefulRedisPubSubConnection)) {
                DisconnectMonitor.this.onConnected.run();
            }
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            DisconnectMonitor.this.count.incrementAndGet();
            if (connection instanceof StatefulRedisPubSubConnection) {
                this.onSubscriptionLost.run();
            }
        }

        @Override
        public void onRedisExceptionCaught(RedisChannelHandler<?, ?> connection, Throwable cause) {
            // An exception that ends the connection is followed by a disconnection.
        }
    }
}
