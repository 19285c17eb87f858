package io.github.lockstarter.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import java.time.Duration;

/**
 * Derives the client options of the private connection from the application's. Only what locks cannot do without is
 * changed: commands are rejected while there is no connection, for a queued one would be executed when it is not expected
 * any more; connecting takes no longer than a command; and a cluster is asked for its topology often enough.
 */
final class DerivedOptions {

    /**
     * A timer for each command costs more than the rest of the call. A thread that waits for an answer gives up by itself,
     * and answers without a waiting thread have a time limit of their own, see {@link ScriptCalls}.
     */
    private static final TimeoutOptions WITHOUT_TIMER = TimeoutOptions.create();

    private DerivedOptions() {}

    /**
     * Derives options.
     *
     * @param timeout how long a command, and connecting, may take at most
     */
    static ClientOptions of(ClientOptions given, boolean cluster, Duration timeout) {
        ClientOptions.Builder options = cluster ? ofCluster(given) : given.mutate();
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socketOptions(given.getSocketOptions(), timeout))
                .timeoutOptions(WITHOUT_TIMER)
                // These two are missing from some of the copies that Lettuce makes.
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
