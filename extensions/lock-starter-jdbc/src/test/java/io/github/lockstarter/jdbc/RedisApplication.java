package io.github.lockstarter.jdbc;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of an application whose locks are in Redis, with a network and connections of its own. */
final class RedisApplication implements AutoCloseable {

    /** So long that no lease ends, and no renewal is due, within a test. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    final String name;

    final FencedApplication application;

    private final FaultProxy network;

    private final LettuceConnectionFactory connections;

    RedisApplication(String name, DataSource database, RedisServer server, boolean isFenced) {
        this.name = name;
        this.network = FaultProxy.inFrontOf(server.port());
        this.connections = new LettuceConnectionFactory("127.0.0.1", this.network.port());
        this.connections.afterPropertiesSet();
        this.connections.start();
        LockSettings settings = LockSettings.of(LEASE);
        LeasingLockRegistry locks = new LeasingLockRegistry(
                new RedisLockStore(
                        this.connections,
                        new RedisStoreSettings("shop", settings.commandTimeout(), true, settings.pollInterval())),
                settings,
                null,
                List.of());
        locks.start();
        this.application = new FencedApplication(database, locks, isFenced);
        awaitAnswer();
    }

    /** Moves the address of Redis to another server, as a failover does. */
    void moveTo(RedisServer server) {
        this.network.leadTo(server.port());
        this.network.cutFin();
        awaitAnswer();
    }

    private void awaitAnswer() {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(25))
                .ignoreExceptions()
                .until(() -> !this.application.locks.getLock("warm-up").isLocked());
    }

    @Override
    public void close() {
        this.application.close();
        this.connections.destroy();
        this.network.close();
    }
}
