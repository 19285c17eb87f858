package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
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
        startWithout("PEXPIRE", "HSET", "TIME", "PTTL");

        assertThat(onlyLine(Level.ERROR))
                .contains("Redis at 127.0.0.1:")
                .containsSubsequence(List.of("HSET (", "PEXPIRE (", "PTTL (", "TIME ("));
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
}
