package io.github.lockstarter.contract;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/** Redis, and for each store a connection factory of its own, as every JVM has one. */
final class RedisBackend implements LockBackend {

    /** Long enough for a server that has to wait for its turn on the processor. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** A grant to a waiter in the line can be claimed for twice that time. */
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    static {
        // they say a lot at DEBUG, which is what loggers are at without a configuration
        ((Logger) LoggerFactory.getLogger("io")).setLevel(Level.INFO);
        ((Logger) LoggerFactory.getLogger("reactor")).setLevel(Level.INFO);
    }

    private final Supplier<LettuceConnectionFactory> connections;

    private final int confirmReplicas;

    /** One for each server that owns keys. */
    private final List<RedisCli> owners;

    private @Nullable FaultProxy proxy;

    private final List<LettuceConnectionFactory> factories = new ArrayList<>();

    RedisBackend(RedisServer server) {
        this(() -> Servers.of(server), List.of(server));
    }

    /** One replica confirms each grant. */
    RedisBackend(MasterWithReplicas servers) {
        this(() -> Servers.of(servers.master()), List.of(servers.master()), 1);
    }

    RedisBackend(RedisSentinels sentinels) {
        this(() -> Servers.of(sentinels), List.of(sentinels.master()));
    }

    RedisBackend(RedisCluster cluster) {
        this(() -> Servers.of(cluster), cluster.masters());
    }

    /** Behind a proxy, which is closed with the backend; as a cluster if the profile permits that. */
    RedisBackend(RedisServer server, ServiceProfile profile) {
        this(server, profile, FaultProxy.inFrontOf(server.port(), profile));
    }

    private RedisBackend(RedisServer server, ServiceProfile profile, FaultProxy proxy) {
        this(
                () -> profile.isCluster()
                        ? Servers.clusterAt(proxy.host(), proxy.port())
                        : Servers.at(proxy.host(), proxy.port()),
                List.of(server));
        this.proxy = proxy;
        loadScripts(proxy);
    }

    /** Lets the proxy know the scripts that it permits, so that each call of one is one command. */
    private static void loadScripts(FaultProxy proxy) {
        try (RedisCli redis = RedisCli.connect(proxy.port())) {
            for (LuaScript script : LuaScript.values()) {
                for (boolean hasTime : new boolean[] {true, false}) {
                    load(redis, script.in(LuaScript.Variant.needed(false, hasTime)));
                    load(redis, script.in(LuaScript.Variant.needed(true, hasTime)));
                }
            }
        }
    }

    private static void load(RedisCli redis, RedisScript<Object> script) {
        try {
            redis.command("SCRIPT", "LOAD", script.getScriptAsString());
        } catch (RedisErrorException ex) {
            // a profile refuses its text
        }
    }

    private RedisBackend(Supplier<LettuceConnectionFactory> connections, List<RedisServer> owners) {
        this(connections, owners, 0);
    }

    private RedisBackend(
            Supplier<LettuceConnectionFactory> connections, List<RedisServer> owners, int confirmReplicas) {
        this.connections = connections;
        this.confirmReplicas = confirmReplicas;
        this.owners = owners.stream().map(RedisServer::cli).toList();
    }

    @Override
    public LockStore newStore() {
        LettuceConnectionFactory factory = this.connections.get();
        factory.afterPropertiesSet();
        this.factories.add(factory);
        // Commands of the background must not be counted, such as those of a published instance.
        return new RedisLockStore(
                factory,
                new RedisStoreSettings(
                        "lock",
                        COMMAND_TIMEOUT,
                        true,
                        POLL_INTERVAL,
                        true,
                        false,
                        this.confirmReplicas,
                        MessageMode.AUTO));
    }

    @Override
    public synchronized Collection<String> locked() {
        // A script without TIME keeps the last token of a lock for some milliseconds after its release.
        return this.owners.stream()
                .flatMap(each ->
                        each.keys().stream().filter(key -> !List.of("f").equals(each.command("HKEYS", key))))
                .toList();
    }

    @Override
    public synchronized Duration remaining(String lockName) {
        Object millis = askOwner("PTTL", "lock:{" + lockName + "}");
        return Duration.ofMillis(Math.max(0, (Long) Objects.requireNonNull(millis)));
    }

    @Override
    public synchronized int inLine(String lockName) {
        Object line = askOwner("HGET", "lock:{" + lockName + "}", "q");
        return line == null ? 0 : Integer.parseInt(line.toString().split(":", -1)[2]);
    }

    private Object askOwner(String... command) {
        RedisErrorException refusal = null;
        for (RedisCli each : this.owners) {
            try {
                return each.command(command);
            } catch (RedisErrorException ex) {
                // in a cluster, all but one say that the key has moved
                refusal = ex;
            }
        }
        throw Objects.requireNonNull(refusal);
    }

    /** Without probes of messages, which are sent in the background. */
    @Override
    public synchronized long commands() {
        if (this.proxy != null) {
            return this.proxy.commandsSeen(
                    command -> Commands.named("evalsha", "eval", "hexists").test(command)
                            && command.stream().noneMatch(word -> word.startsWith("lock:inbox:")));
        }
        return this.owners.stream()
                .map(RedisCli::infoCommandStats)
                .mapToLong(RedisBackend::commands)
                .sum();
    }

    private static long commands(Map<String, Long> calls) {
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L) + calls.getOrDefault("hexists", 0L);
    }

    @Override
    public void close() {
        this.factories.forEach(LettuceConnectionFactory::destroy);
        this.owners.forEach(RedisCli::close);
        if (this.proxy != null) {
            this.proxy.close();
        }
    }
}
