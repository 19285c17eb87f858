package io.github.lockstarter.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A cluster of one node, as managed services offer it: it serves all slots, and can be addressed as a single server. */
public final class SingleShard {

    private static final int SLOTS = 16_384;

    private SingleShard() {}

    /** Starts one and waits until it serves all slots; options as on the command line. */
    public static RedisServer start(String... options) {
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes"));
        if (RedisBinary.forTopologies().majorVersion() >= 7) {
            // the default, 10,000 above the other, may be among the ports of outgoing connections
            all.addAll(List.of("--cluster-port", Integer.toString(Ports.free())));
        }
        all.addAll(List.of(options));
        RedisServer server = RedisServer.startMember(all);
        try (RedisCli cli = server.cli()) {
            // as a range only from Redis 7.0 on
            List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            IntStream.range(0, SLOTS).mapToObj(Integer::toString).forEach(command::add);
            cli.command(command.toArray(String[]::new));
            Awaiting.until(
                    "slots served by " + server.port(),
                    () -> String.valueOf(cli.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        return server;
    }
}
