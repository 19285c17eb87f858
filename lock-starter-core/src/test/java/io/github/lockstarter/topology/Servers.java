package io.github.lockstarter.topology;

import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection factories as an application has them, with Lettuce's own defaults. */
final class Servers {

    /** Shared, for each set of them has threads. */
    private static final ClientResources RESOURCES = ClientResources.builder()
            .ioThreadPoolSize(4)
            .computationThreadPoolSize(2)
            .build();

    private Servers() {}

    static LettuceConnectionFactory of(RedisServer server) {
        return new LettuceConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()), client());
    }

    static LettuceConnectionFactory of(RedisSentinels sentinels) {
        RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(RedisSentinels.MASTER_NAME);
        sentinels.sentinelPorts().forEach(port -> configuration.sentinel("127.0.0.1", port));
        configuration.setPassword(RedisSentinels.PASSWORD);
        return new LettuceConnectionFactory(configuration, client());
    }

    static LettuceConnectionFactory of(RedisCluster cluster) {
        RedisClusterConfiguration configuration = new RedisClusterConfiguration();
        cluster.ports().forEach(port -> configuration.addClusterNode(new RedisNode("127.0.0.1", port)));
        return new LettuceConnectionFactory(configuration, client());
    }

    private static LettuceClientConfiguration client() {
        return LettuceClientConfiguration.builder()
                .clientResources(RESOURCES)
                // it need not take its time when it is closed
                .shutdownTimeout(Duration.ZERO)
                .build();
    }
}
