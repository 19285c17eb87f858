package io.github.lockstarter.benchmarks.client;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.List;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection factories as an application without any settings has them. */
final class Connections {

    /** One for all, as Spring Boot's bean: a thousand clients with a timer each would keep the processors busy. */
    private static final ClientResources RESOURCES = ClientResources.builder()
            .nettyCustomizer(new NettyCustomizer() {
                @Override
                public void afterChannelInitialized(Channel channel) {
                    channel.pipeline().addFirst(Wire.INSTANCE);
                }
            })
            .build();

    private Connections() {}

    static LettuceConnectionFactory open(ClientSettings settings) {
        return open(new RedisStandaloneConfiguration(ClientSettings.HOST, settings.port()));
    }

    /** Opens connections to a cluster with nodes at these ports. */
    static LettuceConnectionFactory open(List<Integer> ports) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration();
        ports.forEach(port -> cluster.addClusterNode(new RedisNode(ClientSettings.HOST, port)));
        return open(cluster);
    }

    private static LettuceConnectionFactory open(RedisConfiguration servers) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                servers,
                LettuceClientConfiguration.builder().clientResources(RESOURCES).build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
