package io.github.lockstarter.boottests;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Another instance that uses the same locks; to Redis it is as good as another JVM. */
final class Neighbour implements AutoCloseable {

    private final LettuceConnectionFactory connections;

    private final LeasingLockRegistry registry;

    private Neighbour(LettuceConnectionFactory connections, LeasingLockRegistry registry) {
        this.connections = connections;
        this.registry = registry;
    }

    static Neighbour at(int redisPort) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", redisPort),
                LettuceClientConfiguration.builder().clientName("neighbour").build());
        connections.afterPropertiesSet();
        connections.start();
        RedisLockStore store = new RedisLockStore(
                connections, new RedisStoreSettings("lock", Duration.ofSeconds(5), true, Duration.ofSeconds(1)));
        LeasingLockRegistry registry =
                new LeasingLockRegistry(store, LockSettings.of(Duration.ofMinutes(1)), null, List.of());
        registry.start();
        return new Neighbour(connections, registry);
    }

    Lease acquire(String name) throws InterruptedException {
        return this.registry.acquire(LockRequest.of(name));
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connections.destroy();
    }
}
