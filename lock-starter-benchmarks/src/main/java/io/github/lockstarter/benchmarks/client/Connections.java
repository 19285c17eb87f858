package io.github.lockstarter.benchmarks.client;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Connection factories as an application without any settings has them. */
final class Connections {

    private Connections() {}

    static LettuceConnectionFactory open(ClientSettings settings) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(ClientSettings.HOST, settings.port()));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
