package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
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

    private static final RedisStoreSettings SETTINGS =
            new RedisStoreSettings("shop", Duration.ofSeconds(2), true, Duration.ofSeconds(1), true, true, 1);

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
            strings = {
                "PEXPIRE", "HSET", "TIME", "PTTL", "HGET", "HMGET", "HGETALL", "HDEL", "DEL", "EVAL", "EVALSHA", "WAIT"
            })
    void shouldReportACommandWithoutWhichLocksFail(String command) {
        startWithout(command);

        assertThat(onlyLine(Level.ERROR)).contains(" " + command + " (", "rename-command", "locks fail");
    }

    @Test
    void shouldReportAllMissingCommands() {
        startWithout("PEXPIRE", "HSET", "TIME", "PTTL", "PUBLISH");

        assertThat(onlyLine(Level.ERROR))
                .contains("Redis at 127.0.0.1:")
                .containsSubsequence(List.of("HSET (", "PEXPIRE (", "PTTL (", "TIME (", "PUBLISH ("));
    }

    @ParameterizedTest
    @CsvSource({"PUBLISH, waiters poll", "PUBSUB, two poll intervals"})
    void shouldReportWhatFollowsWithoutAnOptionalCommand(String command, String consequence) {
        startWithout(command);

        assertThat(onlyLine(Level.WARN)).contains(command + " (", consequence);
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

        assertThat(ServerCheck.described(new Server(null, null, "cluster", 0), lines))
                .hasToString(expected + ", cluster, database 0");
        assertThat(ServerCheck.tooOld(lines)).isNull();
    }
}
