package io.github.lockstarter.sample.redis;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;

/**
 * Where a Redis is, without anything secret.
 *
 * @param nodes {@code host:port}, separated by commas: who to ask whether it lives
 * @param options what to put on the command line of a service that is to use it
 */
record RedisAddress(String nodes, String options) {

    private static final String PREFIX = "--spring.data.redis.";

    static RedisAddress of(DataRedisConnectionDetails details) {
        Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            return of("sentinel.master=" + sentinel.getMaster() + " " + PREFIX + "sentinel", sentinel.getNodes());
        }
        if (details.getCluster() != null) {
            return of("cluster", details.getCluster().getNodes());
        }
        if (details.getMasterReplica() != null) {
            return of("masterreplica", details.getMasterReplica().getNodes());
        }
        return of(Objects.requireNonNull(details.getStandalone(), "no address of Redis"));
    }

    private static RedisAddress of(String kind, List<Node> nodes) {
        String list =
                nodes.stream().map(node -> node.host() + ":" + node.port()).collect(Collectors.joining(","));
        return new RedisAddress(list, PREFIX + kind + ".nodes=" + list);
    }

    private static RedisAddress of(Standalone standalone) {
        String host = standalone.getHost();
        StringBuilder options = new StringBuilder();
        if (!host.equals("localhost") && !host.equals(EmbeddedRedis.HOST)) {
            options.append(PREFIX).append("host=").append(host).append(' ');
        }
        options.append(PREFIX).append("port=").append(standalone.getPort());
        if (standalone.getDatabase() != 0) {
            options.append(' ').append(PREFIX).append("database=").append(standalone.getDatabase());
        }
        return new RedisAddress(host + ":" + standalone.getPort(), options.toString());
    }

    /** Whether somebody is there at one of the nodes. */
    boolean isAlive() {
        return Stream.of(nodes.split(",")).anyMatch(RedisProbe::isAlive);
    }
}
