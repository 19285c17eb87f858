package io.github.lockstarter.test;

import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.text.Printable;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.test.context.DynamicPropertyRegistrar;

/** Starts the process, and sets the properties of Spring Boot's connection to Redis before that is created. */
@Configuration(proxyBeanMethods = false)
class RedisProcessConfiguration {

    private static final String PREFIX = "spring.data.redis.";

    /** Spring Boot prefers them to a host, and no property can undo one. */
    private static final List<String> TOPOLOGIES = List.of("cluster", "sentinel", "masterreplica");

    @Bean(destroyMethod = "close")
    RedisProcess lockTestRedisProcess(Environment environment) {
        for (String topology : TOPOLOGIES) {
            if (Binder.get(environment)
                    .bind(PREFIX + topology, Bindable.mapOf(String.class, Object.class))
                    .isBound()) {
                throw new IllegalStateException(Printable.of("The properties " + PREFIX + topology
                        + ".* take precedence over the Redis process of @UseRedisProcess. Move them to a profile that"
                        + " the tests do not use."));
            }
        }
        return RedisProcess.start();
    }

    @Bean
    DynamicPropertyRegistrar lockTestRedisProperties(RedisProcess redis) {
        return registry -> {
            registry.add(PREFIX + "host", () -> RedisProcess.HOST);
            registry.add(PREFIX + "port", redis::port);
            // Takes precedence over a URL, user and password of the application; the process has none.
            registry.add(PREFIX + "url", () -> "redis://" + RedisProcess.HOST + ":" + redis.port());
            registry.add(PREFIX + "ssl.enabled", () -> false);
        };
    }

    @Bean
    FirstReply lockTestFirstReply(ObjectProvider<LeasingLockRegistry> registry) {
        return new FirstReply(() -> {
            // A registry that the test has replaced has no connection to wait for.
            LeasingLockRegistry present = registry.getIfUnique();
            return present != null ? present.health() : null;
        });
    }
}
