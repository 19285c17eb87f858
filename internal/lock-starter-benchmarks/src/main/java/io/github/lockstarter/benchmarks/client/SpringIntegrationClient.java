package io.github.lockstarter.benchmarks.client;

import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's {@code RedisLockRegistry}. It renews only if it is given a scheduler, which is not its default.
 */
final class SpringIntegrationClient implements LockClient {

    private static final Duration DEFAULT_EXPIRY = Duration.ofSeconds(60);

    /** Its cache forgets locks beyond the capacity, held ones too; the default is just what the largest row holds. */
    private static final int CAPACITY = 200_000;

    private final LettuceConnectionFactory connections;

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    private final RedisLockRegistry registry;

    private SpringIntegrationClient(
            LettuceConnectionFactory connections, Duration expiry, RedisLockType type, boolean renewing) {
        this.connections = connections;
        this.registry = new RedisLockRegistry(connections, "lock", expiry);
        this.registry.setRedisLockType(type);
        this.registry.setCacheCapacity(CAPACITY);
        if (renewing) {
            this.scheduler.setDaemon(true);
            this.scheduler.afterPropertiesSet();
            this.registry.setRenewalTaskScheduler(this.scheduler);
        }
    }

    static LockClient open(ClientSettings settings, RedisLockType type) {
        return new SpringIntegrationClient(
                Connections.open(settings), settings.leaseOr(DEFAULT_EXPIRY), type, settings.use() == Use.RENEWED);
    }

    @Override
    public Lock getLock(String name) {
        return this.registry.obtain(name);
    }

    @Override
    public void close() {
        this.registry.destroy();
        this.scheduler.destroy();
        this.connections.destroy();
    }
}
