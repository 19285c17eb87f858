package io.github.lockstarter.store.redis.confirm;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Finds the master of a lock, and the queue of its confirmations. Thread-safe; only {@link #stop()} blocks. */
interface Masters {

    /** Returns the queue of the master that has the lock; null if no master is known. */
    @Nullable
    PairQueue queueOf(String lockName);

    /** Called when the store is connected over this factory from now on: opens connections in the background. */
    void connected(LettuceConnectionFactory factory);

    /** Closes all connections, and fails what is queued. */
    void stop();

    /** Creates the queue of one master. */
    @FunctionalInterface
    interface Queues {

        /**
         * Returns a new queue without a connection.
         *
         * @param opener opens a connection, and blocks for one command timeout at most
         * @param master the master as messages name it, without credentials
         */
        PairQueue create(Supplier<StatefulRedisConnection<byte[], byte[]>> opener, String master);
    }
}
