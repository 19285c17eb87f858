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

    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(10);

    private DerivedOptions() {}

    /**
     * Returns the derived options.
     *
     * @param timeout how long connecting and a command may take
     */
    static ClientOptions of(ClientOptions given, boolean cluster, Duration timeout) {
        ClientOptions.Builder options = cluster ? ofCluster(given, timeout) : given.mutate();
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(socketOptions(given.getSocketOptions(), timeout))
                .timeoutOptions(WITHOUT_TIMER)
                // mutate() does not copy these two in all versions of Lettuce.
                .replayFilter(given.getReplayFilter())
                .useHashIndexQueue(given.isUseHashIndexedQueue());
        return options.build();
    }

    /** Returns how often to ask for the master, or the topology: about once in a renewal interval by default. */
    static Duration refreshPeriod(Duration timeout) {
        Duration period = timeout.multipliedBy(2);
        return period.compareTo(LONGEST_PERIOD) < 0 ? period : LONGEST_PERIOD;
    }

    private static ClientOptions.Builder ofCluster(ClientOptions given, Duration timeout) {
        ClusterClientOptions options = given instanceof ClusterClientOptions its
                ? its
                : ClusterClientOptions.builder(given).build();
        return options.mutate()
                .topologyRefreshOptions(
                        new TopologyRefresh(options.getTopologyRefreshOptions(), refreshPeriod(timeout)));
    }

    private static SocketOptions socketOptions(SocketOptions given, Duration timeout) {
        boolean shorter = given.getConnectTimeout().compareTo(timeout) < 0;
        return shorter ? given : given.mutate().connectTimeout(timeout).build();
    }
}
