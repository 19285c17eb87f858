package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the check at the start reports about a server whose commands were renamed, or that is too old. */
@Tag("redis")
class ServerCheckTest {

    private static final RedisStoreSettings SETTINGS = new RedisStoreSettings(
            "shop", Duration.ofSeconds(2), true, Duration.ofSeconds(1), true, true, 1, MessageMode.AUTO);

    @AutoClose
    private final LogCapture log = new LogCapture(ServerCheck.class, Level.WARN);

    /** Starts a store at a server without these commands. */
    private void startWithout(String... commands) {
        String[] options = Stream.of(commands)
                .flatMap(command -> Stream.of("--rename-command", command, ""))
                .toArray(String[]::new);
        try (RedisServer server = RedisServer.start(options);
                ConnectedStore store = new ConnectedStore("one", Servers.of(server), SETTINGS)) {
            soon().until(() -> !this.log.events().isEmpty());
            assertThat(store.store().obstacle()).isNotEqualTo("without a connection");
        }
    }

    private String onlyLine(Level level) {
        assertThat(this.log.events()).as("lines of the check").hasSize(1);
        assertThat(this.log.events().get(0).getLevel()).isEqualTo(level);
        return this.log.with("").get(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"PEXPIRE", "HSET", "PTTL", "HGET", "HMGET", "HGETALL", "HDEL", "DEL", "EVAL", "EVALSHA", "WAIT"})
    void shouldReportACommandWithoutWhichLocksFail(String command) {
        startWithout(command);

        assertThat(onlyLine(Level.ERROR)).contains(" " + command + " (", "rename-command", "locks fail");
    }

    /** Over the application's connection, at a server that becomes reachable only after the start. */
    @ParameterizedTest
    @ValueSource(strings = {"PEXPIRE", "HSET", "PTTL", "HGET", "HMGET", "HGETALL", "HDEL", "DEL", "EVAL", "EVALSHA"})
    void shouldReportTheSameOverTheConnectionOfTheApplication(String command) {
        try (RedisServer server = RedisServer.start("--rename-command", command, "");
                FaultProxy proxy = FaultProxy.inFrontOf(server.port())) {
            proxy.refuse();
            try (ConnectedStore store =
                    new ConnectedStore("one", Servers.at(proxy.host(), proxy.port()), settings(false))) {
                assertThat(store.store().obstacle()).isEqualTo("without a connection");
                proxy.accept();
                soon().until(() -> !this.log.events().isEmpty());
                soon().until(() ->
                        "at a server that rejects them".equals(store.store().obstacle()));
            }
        }
        assertThat(onlyLine(Level.ERROR)).contains(" " + command + " (", "rename-command", "locks fail");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportPermissionsAndEviction(boolean isPrivate) {
        try (RedisServer server = RedisServer.start("--maxmemory-policy", "volatile-lru")) {
            try (RedisCli redis = server.cli()) {
                redis.command("ACL", "SETUSER", "default", "-pexpire", "-publish");
            }
            try (ConnectedStore store = new ConnectedStore("one", Servers.of(server), settings(isPrivate))) {
                soon().until(() -> this.log.events().size() == 2);
                assertThat(store.store().obstacle()).isNotEqualTo("without a connection");
            }
        }
        assertThat(this.log.with("'ACL SETUSER default +pexpire +publish'")).hasSize(1);
        assertThat(this.log.with("maxmemory-policy is volatile-lru")).hasSize(1);
    }

    @Test
    void shouldReportAllMissingCommands() {
        startWithout("PEXPIRE", "HSET", "PTTL");

        assertThat(onlyLine(Level.ERROR))
                .contains("Redis at 127.0.0.1:")
                .containsSubsequence(List.of("HSET (", "PEXPIRE (", "PTTL ("));
    }

    /** A private connection, and that of the application. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldUseAnotherSourceOfTime(boolean isPrivate) {
        RedisStoreSettings settings = settings(isPrivate);
        try (RedisServer server = RedisServer.start("--rename-command", "TIME", "")) {
            CoarseTimeTest.requireExpiryTime(server);
            try (ConnectedStore store = new ConnectedStore("one", Servers.of(server), settings).connected()) {
                assertThat(store.store().description()).contains("time by PEXPIRETIME");
                long token = store.granted("a", "me");
                assertThat(token % 1_000).as("microseconds of the token").isZero();
                assertThat(store.call(new Command.Release("a", "me", token + 5, 0, null)))
                        .isEqualTo(Reply.Released.INSTANCE);
                assertThat(store.granted("a", "you")).as("the next token").isGreaterThan(token + 5);
                try (RedisCli redis = server.cli()) {
                    redis.command("HSET", "shop:{b}", "f", "hello");
                    assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.granted("b", "me"));
                    assertThat(redis.pttl("shop:{b}"))
                            .as("time to live of a hash that is no lock")
                            .isEqualTo(-1);
                }
            }
        }
        assertThat(this.log.events()).as("lines of the check").isEmpty();
    }

    @Test
    void shouldNameTheSourceOfTime() {
        try (RedisServer server = RedisServer.start();
                ConnectedStore store = new ConnectedStore("one", Servers.of(server), settings(true)).connected()) {
            assertThat(store.store().description()).contains("time by TIME").doesNotContain("messages by");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotStartAtAServerWithoutTime(boolean isPrivate) {
        RedisStoreSettings settings = settings(isPrivate);
        List<String> options = new ArrayList<>(List.of("--rename-command", "TIME", ""));
        try (RedisServer server = RedisServer.start()) {
            if (CoarseTimeTest.hasExpiryTime(server)) {
                // A server does not start with the name of a command that it does not have.
                options.addAll(List.of("--rename-command", "PEXPIRETIME", ""));
            }
        }
        try (RedisServer server = RedisServer.start(options.toArray(String[]::new))) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> new ConnectedStore("one", Servers.of(server), settings))
                    .withMessageContainingAll("127.0.0.1:", "TIME (", "PEXPIRETIME (", "redis.md#time-of-the-server");
        }
    }

    @Test
    void shouldReportThatTheOtherSourceOfTimeIsNotPermitted() {
        try (RedisServer server = RedisServer.start("--rename-command", "TIME", "")) {
            CoarseTimeTest.requireExpiryTime(server);
            try (RedisCli redis = server.cli()) {
                redis.command("ACL", "SETUSER", "default", "-pexpiretime");
            }
            try (ConnectedStore store = new ConnectedStore("one", Servers.of(server), settings(true))) {
                soon().until(() -> !this.log.events().isEmpty());
                assertThat(store.store().obstacle()).isNotEqualTo("without a connection");
            }
        }
        assertThat(onlyLine(Level.ERROR)).contains("'ACL SETUSER default +pexpiretime'", "locks fail");
    }

    private static RedisStoreSettings settings(boolean isPrivate) {
        return new RedisStoreSettings(
                "shop", Duration.ofSeconds(2), isPrivate, Duration.ofSeconds(1), true, false, 0, MessageMode.AUTO);
    }

    @Test
    void shouldReportWhatFollowsIfTheServerDoesNotCountSubscribers() {
        startWithout("PUBSUB");

        assertThat(onlyLine(Level.WARN)).contains("PUBSUB (", "two poll intervals");
    }

    /** Neither scripts nor the client can publish, which probes show. */
    @Test
    void shouldReportThatWaitersPollWithoutMessages() {
        try (LogCapture modes = new LogCapture(MessageRoute.class, Level.INFO);
                RedisServer server = RedisServer.start("--rename-command", "PUBLISH", "");
                ConnectedStore store = new ConnectedStore("one", Servers.of(server), SETTINGS)) {
            soon().until(() -> modes.all().size() == 2);

            assertThat(modes.with("published by the client")).hasSize(1);
            assertThat(modes.events().get(1).getLevel()).isEqualTo(Level.WARN);
            assertThat(modes.with("Waiters of other instances poll"))
                    .singleElement()
                    .asString()
                    .contains("unknown command");
            assertThat(store.store().messages().mode()).isEqualTo("polling");
            assertThat(store.store().description()).contains(", messages by polling)");
            assertThat(store.store().obstacle()).isNull();
            assertThat(this.log.all()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"2.8.19, true", "5.0.14, true", "6.0.16, true", "6.2.0, false", "7.4.9, false", "10.0.0, false"})
    void shouldKnowWhichVersionIsTooOld(String version, boolean isTooOld) {
        assertThat(ServerCheck.tooOld("# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone"))
                .isEqualTo(isTooOld ? version : null);
    }

    @ParameterizedTest
    @CsvSource({
        "redis_version:7.0.15, Redis 7.0.15",
        "redis_version:7.2.4|server_name:valkey|valkey_version:8.0.1, Valkey 8.0.1",
        "redis_version:7.4.0|dragonfly_version:df-v1.40.1, Dragonfly 1.40.1",
        "redis_version:6.3.4|redis_mode:standalone|mvcc_depth:0, KeyDB 6.3.4",
        "version:2.15.0|kvrocks_version:2.15.0|redis_version:4.0.0, Kvrocks 2.15.0",
        "redis_mode:standalone|lua_version:5.1, unknown"
    })
    void shouldNameTheProductAndItsVersion(String info, String expected) {
        String lines = info.replace("|", "\r\n") + "\r\n";

        assertThat(ServerCheck.described(new Server(null, null, "cluster", 0, null), lines))
                .hasToString(expected + ", cluster, database 0");
        assertThat(ServerCheck.tooOld(lines)).isNull();
    }
}
