package io.github.lockstarter.kit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/** One Redis server, and for each store a connection factory of its own, as every JVM has one. */
final class RedisBackend implements LockBackend {

    /** Shared, for each set of them has threads. */
    private static final ClientResources RESOURCES = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();

    /** Long enough for a server that has to wait for its turn on the processor. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** What is granted to somebody in line waits twice as long for him. */
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    static {
        // they say a lot at DEBUG, which is what loggers are at without a configuration
        ((Logger) LoggerFactory.getLogger("io")).setLevel(Level.INFO);
        ((Logger) LoggerFactory.getLogger("reactor")).setLevel(Level.INFO);
    }

    private final RedisServer server;

    private final RedisCli cli;

    private final List<LettuceConnectionFactory> factories = new ArrayList<>();

    RedisBackend(RedisServer server) {
        this.server = server;
        this.cli = server.cli();
    }

    @Override
    public LockStore newStore() {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
                LettuceClientConfiguration.builder()
                        .clientResources(RESOURCES)
                        .shutdownTimeout(Duration.ZERO)
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        this.factories.add(factory);
        return new RedisLockStore(factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, POLL_INTERVAL));
    }

    @Override
    public synchronized Collection<String> locked() {
        List<?> keys = (List<?>) Objects.requireNonNull(this.cli.command("KEYS", "*"));
        return keys.stream().map(String::valueOf).toList();
    }

    @Override
    public synchronized Duration remaining(String lockName) {
        return Duration.ofMillis(Math.max(0, this.cli.pttl("lock:{" + lockName + "}")));
    }

    @Override
    public synchronized int inLine(String lockName) {
        Object line = this.cli.command("HGET", "lock:{" + lockName + "}", "q");
        return line == null ? 0 : StringUtils.countOccurrencesOf(line.toString(), ";");
    }

    @Override
    public synchronized long commands() {
        Map<String, Long> calls = this.cli.infoCommandStats();
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L) + calls.getOrDefault("hexists", 0L);
    }

    @Override
    public void close() {
        this.factories.forEach(LettuceConnectionFactory::destroy);
        this.cli.close();
    }
}
