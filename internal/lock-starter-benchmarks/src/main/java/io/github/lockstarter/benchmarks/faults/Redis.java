package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Timing;
import java.time.Duration;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.EqualJitterDelay;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Clients of Redis with their defaults, except for the times. */
final class Redis {

    private static final String HOST = "127.0.0.1";

    /** By default, Redisson waits for 1 to 2 seconds before it repeats a command, and its leases last 30 seconds. */
    private static final int RETRIES_OF_LEASE = 30;

    private Redis() {}

    /** Opens connections as Spring Boot does with {@code spring.data.redis.timeout}. */
    static LettuceConnectionFactory lettuce(int port, Timing timing) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(HOST, port),
                LettuceClientConfiguration.builder()
                        .commandTimeout(timing.command())
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    private static Duration shortestRetryDelay(Timing timing) {
        return timing.lease().dividedBy(RETRIES_OF_LEASE);
    }

    static Duration longestRetryDelay(Timing timing) {
        return shortestRetryDelay(timing).multipliedBy(2);
    }

    /** Opens a client whose {@code lockWatchdogTimeout} is the lease. Its retries keep their default ratio to it. */
    static RedissonClient redisson(int port, Timing timing) {
        Config config = new Config();
        config.setLockWatchdogTimeout(timing.lease().toMillis());
        config.useSingleServer()
                .setAddress("redis://" + HOST + ":" + port)
                .setTimeout(Math.toIntExact(timing.command().toMillis()))
                .setRetryDelay(new EqualJitterDelay(shortestRetryDelay(timing), longestRetryDelay(timing)));
        return Redisson.create(config);
    }
}
