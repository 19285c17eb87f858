package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.LEASE;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the table of the manual says of each command that {@code rename-command} hides. */
@Tag("redis")
@Tag("full")
class RenamedCommandsTest {

    private static final RedisStoreSettings SETTINGS =
            new RedisStoreSettings("shop", Duration.ofSeconds(2), true, Duration.ofSeconds(1));

    @AutoClose
    private final LogCapture log = new LogCapture("io.github.lockstarter.store", Level.INFO);

    /** At a server without a command, and without locks. */
    private interface Check {
        void of(ConnectedStore store);
    }

    private static void without(String command, Check check) {
        try (RedisServer server = RedisServer.start("--rename-command", command, "");
                ConnectedStore store = new ConnectedStore("one", Servers.of(server), SETTINGS)) {
            check.of(store);
        }
    }

    private static void assertThatLocksWork(ConnectedStore store) {
        store.connected().granted("a", "me");
        assertThat(store.call(release("a", "me"))).isEqualTo(Reply.Released.INSTANCE);
    }

    private List<Level> levels() {
        return this.log.events().stream().map(each -> each.getLevel()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"EVAL", "EVALSHA", "HSET", "HGET", "HMGET", "HGETALL", "HDEL", "DEL", "PEXPIRE", "PTTL"})
    void shouldNotBeReady(String command) {
        without(
                command,
                store -> soon().until(() ->
                        "at a server that rejects them".equals(store.store().obstacle())));

        assertThat(this.log.with(" " + command + " ("))
                .singleElement()
                .asString()
                .contains("locks fail");
        assertThat(levels()).contains(Level.ERROR);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ACL", "CLIENT", "COMMAND", "CONFIG", "HELLO", "KEYS", "PING", "SCAN", "UNSUBSCRIBE", "WAIT"})
    void shouldNotMissTheCommand(String command) {
        without(command, RenamedCommandsTest::assertThatLocksWork);

        assertThat(this.log.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"INFO", "SCRIPT", "TIME"})
    void shouldNameTheCommandThatIsReplaced(String command) {
        try (RedisServer server = RedisServer.start()) {
            CoarseTimeTest.requireExpiryTime(server);
        }
        without(command, RenamedCommandsTest::assertThatLocksWork);

        // Scripts are loaded in the background.
        soon().untilAsserted(() -> assertThat(this.log.with(command)).hasSize(1));
        assertThat(levels()).containsOnly(Level.INFO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUBLISH", "SUBSCRIBE"})
    void shouldPoll(String command) {
        without(command, store -> {
            assertThatLocksWork(store);
            store.granted("a", "me");
            assertThat(store.call(new Command.Acquire("a", "you", LEASE, true))).isInstanceOf(Reply.Taken.class);
            soon().until(() -> store.store().messages().mode().equals("polling"));
            soon().until(() -> levels().contains(Level.WARN));
        });

        assertThat(levels()).doesNotContain(Level.ERROR);
    }

    @ParameterizedTest
    @ValueSource(strings = "PUBSUB")
    void shouldWarnOfWhatIsSlower(String command) {
        without(command, RenamedCommandsTest::assertThatLocksWork);

        assertThat(this.log.with(command)).singleElement().asString().contains("two poll intervals");
        assertThat(levels()).containsOnly(Level.WARN);
    }
}
