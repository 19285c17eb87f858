package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.store.redis.connection.DerivedFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A standalone server, a node of a cluster, or the master that Sentinel names whenever a connection is opened. */
final class SingleMaster implements Masters {

    private final DerivedFactory recipe;

    private final PairQueue queue;

    /** Null until a connection is opened. */
    private volatile @Nullable LettuceConnectionFactory factory;

    /** The connection of the store, which leads to the master that Sentinel has named. */
    private volatile @Nullable LettuceConnectionFactory store;

    /** Creates a master without a connection. */
    SingleMaster(DerivedFactory recipe, Queues queues) {
        this.recipe = recipe;
        this.queue = queues.create(this::open, recipe.servers());
    }

    @Override
    public PairQueue queueOf(String lockName) {
        return this.queue;
    }

    @Override
    public void connected(LettuceConnectionFactory store) {
        this.store = store;
        this.queue.reopen();
    }

    PairQueue queue() {
        return this.queue;
    }

    /** Opens a connection. Called on the background thread, which {@link #stop()} ends first. */
    private StatefulRedisConnection<byte[], byte[]> open() {
        LettuceConnectionFactory current = this.factory;
        LettuceConnectionFactory master = this.recipe.isSentinel() ? this.store : null;
        if (current != null && master != null && !leadToSameServer(current, master)) {
            this.factory = null;
            current.destroy();
            current = null;
        }
        if (current == null) {
            DerivedFactory target =
                    master != null ? this.recipe.ofNode(master.getHostName(), master.getPort()) : this.recipe;
            current = target.create();
            this.factory = current;
        }
        // Not the connection that the factory shares: that one would be returned again after it has broken.
        return ((RedisClient) current.getRequiredNativeClient()).connect(ByteArrayCodec.INSTANCE);
    }

    private static boolean leadToSameServer(LettuceConnectionFactory one, LettuceConnectionFactory other) {
        return one.getPort() == other.getPort() && one.getHostName().equals(other.getHostName());
    }

    @Override
    public void stop() {
        this.queue.stop();
        LettuceConnectionFactory current = this.factory;
        this.factory = null;
        if (current != null) {
            current.destroy();
        }
    }
}
