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

    /**
     * Locks that the registry keeps in memory. It forgets the others and creates them again, which takes more than
     * twice the memory for each pair. Its default is 256, fewer than the keys of the rows without contention.
     */
    private static final int CAPACITY = 200_000;

    private final LettuceConnectionFactory connections;

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    private final RedisLockRegistry registry;

    private SpringIntegrationClient(
            LettuceConnectionFactory connections,
            Duration expiry,
            RedisLockType type,
            boolean renewing,
            boolean isCapacityGiven) {
        this.connections = connections;
        this.registry = new RedisLockRegistry(connections, "lock", expiry);
        this.registry.setRedisLockType(type);
        if (isCapacityGiven) {
            this.registry.setCacheCapacity(CAPACITY);
        }
        if (renewing) {
            this.scheduler.setDaemon(true);
            this.scheduler.afterPropertiesSet();
            this.registry.setRenewalTaskScheduler(this.scheduler);
        }
    }

    static LockClient open(ClientSettings settings, RedisLockType type) {
        return open(settings, type, true);
    }

    static LockClient openWithDefaultCapacity(ClientSettings settings) {
        return open(settings, RedisLockType.PUB_SUB_LOCK, false);
    }

    private static LockClient open(ClientSettings settings, RedisLockType type, boolean isCapacityGiven) {
        return new SpringIntegrationClient(
                Connections.open(settings),
                settings.leaseOr(DEFAULT_EXPIRY),
                type,
                settings.use() == Use.RENEWED,
                isCapacityGiven);
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
