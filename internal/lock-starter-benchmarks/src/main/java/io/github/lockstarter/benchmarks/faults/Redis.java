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

    /** By default, Redisson's leases last for 30 seconds. */
    private static final Duration REDISSON_LEASE = Duration.ofSeconds(30);

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

    /** Returns the time that has the same ratio to the lease as the default value of Redisson has to its lease. */
    private static Duration scaled(Timing timing, long defaultMillis) {
        return timing.lease().multipliedBy(defaultMillis).dividedBy(REDISSON_LEASE.toMillis());
    }

    private static int scaledMillis(Timing timing, int defaultMillis) {
        return Math.toIntExact(scaled(timing, defaultMillis).toMillis());
    }

    /** Returns how long Redisson waits for a reply. */
    static Duration redissonTimeout(Timing timing) {
        return scaled(timing, 3_000);
    }

    static Duration longestRetryDelay(Timing timing) {
        return scaled(timing, 2_000);
    }

    /** Opens a client whose {@code lockWatchdogTimeout} is the lease. Its other times keep their default ratio to it. */
    static RedissonClient redisson(int port, Timing timing) {
        Config config = new Config();
        config.setLockWatchdogTimeout(timing.lease().toMillis());
        config.useSingleServer()
                .setAddress("redis://" + HOST + ":" + port)
                .setTimeout(Math.toIntExact(redissonTimeout(timing).toMillis()))
                .setRetryDelay(new EqualJitterDelay(scaled(timing, 1_000), longestRetryDelay(timing)))
                .setConnectTimeout(scaledMillis(timing, 10_000))
                .setPingConnectionInterval(scaledMillis(timing, 30_000));
        return Redisson.create(config);
    }
}
