package io.github.lockstarter.testsupport;

import java.util.List;

/**
 * A cluster of one node, as managed services offer it: it serves all slots, and can be addressed as a single server.
 */
public final class SingleShard {

    private static final int SLOTS = 16_384;

    private SingleShard() {}

    /** Starts one and waits until it serves all slots; options as on the command line. */
    public static RedisServer start(String... options) {
        RedisServer server = ClusterNode.start(List.of(options));
        try (RedisCli cli = server.cli()) {
            ClusterNode.addSlots(server, 0, SLOTS);
            Awaiting.servers("slots served by " + server.port())
                    .until(() -> String.valueOf(cli.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }
}
