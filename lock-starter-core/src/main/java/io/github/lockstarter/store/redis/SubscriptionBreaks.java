package io.github.lockstarter.store.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Notices that the connection of a subscription broke; the client mends it and says nothing. */
final class SubscriptionBreaks implements RedisConnectionStateListener {

    private final Runnable onBreak;

    private SubscriptionBreaks(Runnable onBreak) {
        this.onBreak = onBreak;
    }

    static void of(LettuceConnectionFactory factory, Runnable onBreak) {
        factory.getRequiredNativeClient().addListener(new SubscriptionBreaks(onBreak));
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        if (connection instanceof StatefulRedisPubSubConnection) {
            this.onBreak.run();
        }
    }

    @Override
    public void onRedisExceptionCaught(RedisChannelHandler<?, ?> connection, Throwable cause) {
        // What matters is whether the connection ends.
    }
}
