package io.github.lockstarter.integration;

import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of an application: a registry with connections of its own. */
final class Instance implements AutoCloseable {

    private final LettuceConnectionFactory factory;

    private final LeasingLockRegistry registry;

    Instance(int redisPort, Duration watchdogTimeout) {
        this.factory = new LettuceConnectionFactory("127.0.0.1", redisPort);
        this.factory.afterPropertiesSet();
        this.factory.start();
        LockSettings settings = LockSettings.of(watchdogTimeout);
        this.registry = new LeasingLockRegistry(
                new RedisLockStore(
                        this.factory,
                        new RedisStoreSettings("lock", settings.commandTimeout(), true, settings.pollInterval())),
                settings,
                null,
                List.of());
        this.registry.start();
    }

    LeasingLockRegistry registry() {
        return this.registry;
    }

    IntegrationLockRegistry locks() {
        return new IntegrationLockRegistry(this.registry);
    }

    @Override
    public void close() {
        this.registry.stop();
        this.factory.destroy();
    }
}
