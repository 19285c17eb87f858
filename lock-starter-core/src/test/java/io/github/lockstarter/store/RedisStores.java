package io.github.lockstarter.store;

import static io.github.lockstarter.fixture.Waiting.soon;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.StoredLine;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Stores over a real Redis, each with a connection factory of its own, as every JVM has one. */
final class RedisStores implements AutoCloseable {

    static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    /** Shared, for each set of them has threads. */
    private static final ClientResources RESOURCES = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();

    /** Long enough for a server that has to wait for its turn on the processor. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    static {
        // they say a lot at DEBUG, which is what loggers are at without a configuration
        ((Logger) LoggerFactory.getLogger("io.lettuce")).setLevel(Level.INFO);
        ((Logger) LoggerFactory.getLogger("io.netty")).setLevel(Level.INFO);
        ((Logger) LoggerFactory.getLogger("reactor")).setLevel(Level.INFO);
    }

    private final int port;

    private final RedisCli redis;

    private final Duration commandTimeout;

    private final List<LettuceConnectionFactory> factories = new ArrayList<>();

    RedisStores(int port, RedisCli redis) {
        this(port, redis, PATIENCE);
    }

    /** Over a port that may be another than that of the server at which {@code redis} looks. */
    RedisStores(int port, RedisCli redis, Duration commandTimeout) {
        this.port = port;
        this.redis = redis;
        this.commandTimeout = commandTimeout;
    }

    LockStore newStore() {
        return newStore(newFactory("default", ""), true);
    }

    /** A store whose waiters poll ten times a second. */
    LockStore newPollingStore() {
        return new RedisLockStore(
                newFactory("default", ""),
                new RedisStoreSettings("lock", this.commandTimeout, true, Duration.ofMillis(100)));
    }

    /** A store that goes over the application's connections. */
    LockStore newSharingStore() {
        return newStore(newFactory("default", ""), false);
    }

    /** A store of a Redis user. */
    LockStore newStore(String user, String password) {
        return newStore(newFactory(user, password), true);
    }

    private LockStore newStore(LettuceConnectionFactory factory, boolean privateConnection) {
        return new RedisLockStore(
                factory, new RedisStoreSettings("lock", this.commandTimeout, privateConnection, POLL_INTERVAL));
    }

    private LettuceConnectionFactory newFactory(String user, String password) {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", this.port);
        if (!password.isEmpty()) {
            server.setUsername(user);
            server.setPassword(password);
        }
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                server,
                LettuceClientConfiguration.builder()
                        .clientResources(RESOURCES)
                        .shutdownTimeout(Duration.ZERO)
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        this.factories.add(factory);
        return factory;
    }

    /** Makes somebody wait there, and returns when its inbox is read and what joins has its address. */
    void awaitReachable(StoreInstance instance) {
        int missed = instance.heard().missed();
        instance.store().prepareWaiting();
        soon().until(() -> instance.heard().missed() > missed);
    }

    /** How many connections read the inbox of an instance. */
    long readers(String instanceId) {
        List<?> reply =
                (List<?>) Objects.requireNonNull(this.redis.command("PUBSUB", "NUMSUB", "lock:inbox:" + instanceId));
        return (Long) Objects.requireNonNull(reply.get(1));
    }

    /** The waiting line of a lock as it stands in Redis; empty: nobody waits. */
    String line(String lockName) {
        return StoredLine.of(this.redis, "lock:{" + lockName + "}").stream()
                .map(entry -> ';' + entry.id() + ':' + entry.inbox() + ':' + entry.claimMillis())
                .collect(Collectors.joining());
    }

    @Override
    public void close() {
        this.factories.forEach(LettuceConnectionFactory::destroy);
    }
}
