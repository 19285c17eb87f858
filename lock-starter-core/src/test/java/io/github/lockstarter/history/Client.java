package io.github.lockstarter.history;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.engine.ReleaseMode;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The real thing: a registry with connections of its own, which writes down what its listeners hear. */
final class Client implements AutoCloseable {

    /** How it is configured. */
    enum Style {
        USUAL,
        /** A release does not wait for the answer. */
        BACKGROUND,
        /** Over the connection of the application, which repeats commands when it is back. */
        SHARED
    }

    private final LettuceConnectionFactory connections;

    private final LeasingLockRegistry registry;

    private Client(int port, Pace pace, Style style, HistoryLog log, UnaryOperator<LockStore> around) {
        this.connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", port),
                LettuceClientConfiguration.builder()
                        .shutdownTimeout(Duration.ZERO)
                        .commandTimeout(pace.command())
                        .build());
        this.connections.afterPropertiesSet();
        this.connections.start();
        LockSettings settings = LockSettings.of(
                        Duration.ofSeconds(10),
                        OnLost.IGNORE,
                        pace.lease(),
                        null,
                        null,
                        pace.command(),
                        pace.poll(),
                        Duration.ofSeconds(2))
                .withReleaseMode(style == Style.BACKGROUND ? ReleaseMode.BACKGROUND : ReleaseMode.AWAIT);
        this.registry = new LeasingLockRegistry(
                around.apply(new RedisLockStore(
                        this.connections,
                        new RedisStoreSettings("lock", pace.command(), style != Style.SHARED, pace.poll()))),
                settings,
                null,
                List.of(new HistoryListener(log)));
    }

    /** Starts it, and returns when it has reached the server. */
    static Client start(int port, Pace pace, Style style, HistoryLog log) {
        return start(port, pace, style, log, store -> store);
    }

    /** As {@link #start(int, Pace, Style, HistoryLog)}, with a store around that of Redis. */
    static Client start(int port, Pace pace, Style style, HistoryLog log, UnaryOperator<LockStore> around) {
        Client client = new Client(port, pace, style, log, around);
        client.registry.start();
        Pause.until(Duration.ofSeconds(20), client::isConnected);
        return client;
    }

    private boolean isConnected() {
        try {
            return !this.registry.getLock("warm-up").isLocked();
        } catch (RuntimeException ex) {
            // the first connection of a JVM takes its time
            return false;
        }
    }

    LockRegistry registry() {
        return this.registry;
    }

    /** A contender who gets its locks here. */
    Contender contender(HistoryLog log) {
        return new Contender(this.registry::tryAcquire, log);
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connections.destroy();
    }
}
