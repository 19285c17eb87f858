package io.github.lockstarter.testsupport;

import io.github.lockstarter.backing.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A server that is a node of a cluster. Nodes talk to each other on a port of their own, the bus: before Redis 7.0 it
 * is always 10,000 above the port for clients, and later too unless it is set. That may be among the ports that the
 * system uses for outgoing connections.
 */
final class ClusterNode {

    private static final int BUS_DISTANCE = 10_000;
    private static final int FIRST_WITH_BUS_PORT = 7;

    private ClusterNode() {}

    /** Starts one that knows no other; options as on the command line. */
    static RedisServer start(List<String> options) {
        RedisBinary binary = RedisBackends.forTopologies();
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes"));
        if (hasBusPort(binary)) {
            all.addAll(List.of("--cluster-port", Integer.toString(Ports.free())));
        }
        all.addAll(options);
        LocalRedis node = new LocalRedis(binary, all);
        return RedisServer.startMember(
                hasBusPort(binary) ? node : node.withPortsFrom(() -> Ports.freeTogetherWith(BUS_DISTANCE)));
    }

    private static boolean hasBusPort(RedisBinary binary) {
        return binary.majorVersion() >= FIRST_WITH_BUS_PORT;
    }

    /** The port on which other nodes reach it. */
    static int busPort(RedisServer node) {
        try (RedisCli cli = node.cli()) {
            List<?> setting = (List<?>) Objects.requireNonNull(cli.command("CONFIG", "GET", "cluster-port"));
            return setting.isEmpty() ? node.port() + BUS_DISTANCE : Integer.parseInt(String.valueOf(setting.get(1)));
        }
    }

    /** Has it serve these slots; Redis 7.0 and newer accept a range. */
    static void addSlots(RedisServer node, int from, int to) {
        List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
        IntStream.range(from, to).mapToObj(Integer::toString).forEach(command::add);
        try (RedisCli cli = node.cli()) {
            cli.command(command.toArray(String[]::new));
        }
    }
}
