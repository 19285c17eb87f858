package io.github.lockstarter.store.redis.connection;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import java.time.Duration;

/**
 * Derives the client options of the private connection from the application's, with the changes that locks require:
 * commands are rejected while there is no connection, because a queued one would be executed after its caller has given
 * up; connecting takes no longer than a command; and the topology of a cluster is refreshed often enough.
 */
final class DerivedOptions {

    /**
     * Disables Lettuce's timer for each command, which costs more than the rest of a call. Blocked threads time out by
     * themselves, and replies without a blocked thread have their own timeout, see {@code LettuceScriptExecutor}.
     */
    private static final TimeoutOptions WITHOUT_TIMER = TimeoutOptions.create();

    private DerivedOptions() {}

    /**
     * Returns the derived options.
     *
     * @param timeout how long connecting and a command may take
     */
    static ClientOptions of(ClientOptions given, boolean cluster, Duration timeout) {
        ClientOptions.Builder options = cluster ? ofCluster(given) : given.mutate();
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socketOptions(given.getSocketOptions(), timeout))
                .timeoutOptions(WITHOUT_TIMER)
                // mutate() does not copy these two in all versions of Lettuce.
                .replayFilter(given.getReplayFilter())
                .useHashIndexQueue(given.isUseHashIndexedQueue());
        return options.build();
    }

    private static ClientOptions.Builder ofCluster(ClientOptions given) {
        ClusterClientOptions options = given instanceof ClusterClientOptions its
                ? its
                : ClusterClientOptions.builder(given).build();
        return options.mutate().topologyRefreshOptions(new TopologyRefresh(options.getTopologyRefreshOptions()));
    }

    private static SocketOptions socketOptions(SocketOptions given, Duration timeout) {
        boolean shorter = given.getConnectTimeout().compareTo(timeout) < 0;
        return shorter ? given : given.mutate().connectTimeout(timeout).build();
    }
}
