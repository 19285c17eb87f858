package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of this library, for calls that other contenders do not have. No lease ends in a measurement. */
public final class RegistryClient implements AutoCloseable {

    private static final Duration LEASE = Duration.ofMinutes(10);

    private final LettuceConnectionFactory connections;

    private final RedisConnection connection;

    private final LeasingLockRegistry registry;

    /** Opens an instance that polls once a minute, so that only messages wake its waiters. */
    public RegistryClient(int port, ReleaseMode releaseMode) {
        this(port, releaseMode, MessageMode.AUTO);
    }

    /** Opens an instance whose messages about hand-overs are published as given. */
    public RegistryClient(int port, ReleaseMode releaseMode, MessageMode messages) {
        this.connections = Connections.open(new ClientSettings(port, LEASE, Use.CONTENDED));
        this.connection = this.connections.getConnection();
        LockSettings settings = LockSettings.of(LEASE).withReleaseMode(releaseMode);
        this.registry = new LeasingLockRegistry(
                new RedisLockStore(
                        this.connections,
                        new RedisStoreSettings(
                                "lock",
                                settings.commandTimeout(),
                                true,
                                Duration.ofMinutes(1),
                                true,
                                true,
                                0,
                                messages)),
                settings,
                null,
                List.of());
        this.registry.start();
    }

    public LockRegistry registry() {
        return this.registry;
    }

    /** Takes one round trip over the same client as locks, and another connection. */
    public void ping() {
        String unused = this.connection.ping();
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connection.close();
        this.connections.destroy();
    }
}
