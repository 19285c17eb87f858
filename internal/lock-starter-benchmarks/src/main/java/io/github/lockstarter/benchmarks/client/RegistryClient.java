package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.benchmarks.client.LockClient.AsyncHold;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.StoredLine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An instance of this library. */
public final class RegistryClient implements DistantClient {

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

    /** Uses another connection than locks. */
    @Override
    public void ping() {
        String unused = this.connection.ping();
    }

    @Override
    public Runnable lock(String name) throws InterruptedException {
        return this.registry.acquire(LockRequest.of(name))::release;
    }

    @Override
    public void withAll(List<String> names, Runnable body) {
        List<LockRequest> requests = names.stream().map(LockRequest::of).toList();
        this.registry.executeWithoutResult(requests, lease -> body.run());
    }

    @Override
    public CompletionStage<AsyncHold> acquireAsync(Kind kind, String name) {
        LockRequest request = LockRequest.of(name);
        return this.registry
                .acquireAsync(
                        switch (kind) {
                            case LOCK, WRITER -> request;
                            case READER -> request.withMode(LockMode.READ);
                            case PERMIT -> request.withPermits(1, 1);
                        })
                .thenApply(lease -> lease::releaseAsync);
    }

    /** Its waiters stand in the line of the lock. */
    @Override
    public boolean isWaiting(RedisCli cli, String name) {
        return StoredLine.of(cli, "lock:{" + name + '}').stream()
                .anyMatch(entry -> !entry.inbox().isEmpty());
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connection.close();
        this.connections.destroy();
    }
}
