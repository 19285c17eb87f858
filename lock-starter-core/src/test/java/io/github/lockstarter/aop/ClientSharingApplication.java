package io.github.lockstarter.aop;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An application whose connections share two threads with those of the locks. */
final class ClientSharingApplication implements AutoCloseable {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

    private final ClientResources threads = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();

    private final LettuceConnectionFactory factory;

    private final RedisClient client;

    /** With more connections than threads, one of them shares its thread with the lock. */
    private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();

    private final RealLocks locks;

    /**
     * Starts the application.
     *
     * @param warmUp a locked call, which is repeated until it succeeds: the first connection can take long
     */
    ClientSharingApplication(
            RedisServer server, Function<RealLocks, CompletableFuture<?>> warmUp, Class<?>... components) {
        this.factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(server.host(), server.port()),
                LettuceClientConfiguration.builder()
                        .clientResources(this.threads)
                        .build());
        this.factory.afterPropertiesSet();
        this.factory.start();
        this.client = RedisClient.create(this.threads, RedisURI.create(server.host(), server.port()));
        this.locks = RealLocks.on(
                new RedisLockStore(
                        this.factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, COMMAND_TIMEOUT)),
                Duration.ofSeconds(30),
                components);
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(20))
                .until(() -> warmUp.apply(this.locks).get(20, TimeUnit.SECONDS) == null);
        for (int i = 0; i < 3; i++) {
            this.connections.add(this.client.connect());
        }
    }

    RealLocks locks() {
        return this.locks;
    }

    List<StatefulRedisConnection<String, String>> connections() {
        return this.connections;
    }

    @Override
    public void close() throws Exception {
        this.locks.close();
        this.client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
        this.factory.destroy();
        this.threads.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    }
}
