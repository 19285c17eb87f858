package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static io.github.lockstarter.store.redis.ConnectedStore.renew;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.Successor;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The version of the format is written once, and another one stops new acquisitions and nothing else. */
@RedisTest
class WireFormatTest {

    private static final String KEY = "lock:format";

    private static final String OWN = Long.toString(WireFormat.VERSION);

    private static final String OTHER = Long.toString(WireFormat.VERSION + 1);

    @AutoClose
    private final LogCapture log = new LogCapture(WireFormat.class, Level.INFO);

    private final FaultProxy proxy;

    private final RedisCli redis;

    WireFormatTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
    }

    private ConnectedStore start(int port, String prefix) {
        return unready(port, prefix).connected();
    }

    private static ConnectedStore unready(int port, String prefix) {
        return new ConnectedStore(
                "one",
                Servers.at("127.0.0.1", port),
                new RedisStoreSettings(prefix, Duration.ofSeconds(5), true, Duration.ofSeconds(1)));
    }

    private ConnectedStore start() {
        return start(this.proxy.port(), "lock");
    }

    /** Breaks the connections, which Lettuce reopens by itself, and waits until the version has been read again. */
    private void reconnect(ConnectedStore store) {
        this.proxy.forgetCommands();
        this.proxy.cutRst();
        soon().until(() ->
                this.proxy.commandsSeen(Commands.named("eval", "evalsha").and(Commands.with(KEY))) > 0);
        soon().ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> store.call(new Command.Inspect("any", true)) instanceof Reply.Described);
    }

    private static void assertRefused(ConnectedStore store, Way way, String id) {
        LockStoreException failure = store.failure(way, acquire("wanted", id));
        assertThat(failure)
                .hasMessageContaining("'wanted'")
                .hasMessageContaining("format " + OTHER + " (key ")
                .hasMessageContaining("format " + OWN + '.')
                .hasMessageContaining("docs/reference/upgrading.md");
        assertThat(failure.isTransient()).as("waited for").isFalse();
        assertThat(failure.isOutcomeUnknown()).isFalse();
    }

    @Test
    void shouldBeWrittenWhereItIsAbsentAndStay() {
        try (ConnectedStore store = start()) {
            assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OWN));
            assertThat(this.redis.pttl(KEY)).as("does not expire").isEqualTo(-1);

            this.redis.command("HSET", KEY, "note", "of an operator");
            reconnect(store);
            assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OWN, "note", "of an operator"));
            this.redis.flushall();
            reconnect(store);
            soon().until(() -> this.redis.hgetall(KEY).equals(Map.of("version", OWN)));
            store.granted("a", "me");
            assertThat(this.log.with("format")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAcquisitionsFromTheStartOnUntilItIsBack(Way way) {
        this.redis.command("HSET", KEY, "version", OTHER);
        try (ConnectedStore store = start()) {
            List.of("me", "me.r", "me.s1.2").forEach(id -> assertRefused(store, way, id));
            assertThat(this.proxy.commandsSeen(Commands.with("lock:{wanted}"))).isZero();
            reconnect(store);
            assertRefused(store, way, "me");
            assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OTHER));
            assertThat(this.log.with("stores locks in format " + OTHER))
                    .as("logged once")
                    .hasSize(1);

            this.redis.command("DEL", KEY);
            reconnect(store);

            soon().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> store.execute(way, acquire("wanted", "me")) instanceof Reply.Granted);
            assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("version", OWN));
            assertThat(this.log.with("stores locks in format " + OWN + " again"))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRenewAndReleaseWhatIsHeldWhenItChanges(Way way) {
        try (ConnectedStore store = start()) {
            List.of("released", "passed", "kept", "downgraded").forEach(name -> store.granted(name, "me"));
            store.granted("permits", "me.s1.2");
            this.redis.command("HSET", KEY, "version", OTHER);
            store.granted("not read yet", "me");
            reconnect(store);
            assertRefused(store, way, "me");

            assertThat(store.execute(
                            way, new Command.RenewAll(List.of(renew("released", "me"), renew("permits", "me.s1.2")))))
                    .isEqualTo(new Reply.RenewedAll(List.of(Reply.Renewed.INSTANCE, Reply.Renewed.INSTANCE)));
            assertThat(store.execute(way, new Command.Downgrade("downgraded", "me", 0, 60_000)))
                    .isInstanceOf(Reply.Granted.class);
            assertThat(store.execute(way, new Command.Release("kept", "me", 0, 60_000, null)))
                    .isEqualTo(Reply.Released.INSTANCE);
            assertThat(store.execute(way, new Command.Release("passed", "me", 0, 0, new Successor("next", 60_000))))
                    .as("without its successor")
                    .isEqualTo(Reply.Released.INSTANCE);
            assertThat(store.execute(way, release("released", "me"))).isEqualTo(Reply.Released.INSTANCE);
            assertThat(store.execute(way, release("permits", "me.s1.2"))).isEqualTo(Reply.Released.INSTANCE);
            assertThat(this.redis.hgetall("lock:{downgraded}")).containsEntry("o", "~r");
            assertThat(this.redis.keys())
                    .containsExactlyInAnyOrder("lock:{kept}", "lock:{downgraded}", "lock:{not read yet}");
        }
    }

    @Test
    void shouldKeepTokensGrowingWhenItChanges() {
        try (ConnectedStore store = start()) {
            long last = store.granted("passed", "me") + 1_000_000_000_000L;
            store.joins("passed", "you");
            this.redis.command("HSET", KEY, "version", OTHER);
            reconnect(store);
            assertRefused(store, Way.CALL, "me");

            Reply released = store.call(new Command.Release("passed", "me", last, 0, new Successor("next", 60_000)));

            assertThat(released).as("release without its successor").isEqualTo(Reply.Released.INSTANCE);
            assertThat(this.redis.hgetall("lock:{passed}").get("f"))
                    .as("token after %d, which was used without the store", last)
                    .isEqualTo(Long.toString(last + 1));
        }
    }

    @Test
    void shouldCountAsEqualAtAReplica() {
        try (RedisServer server = RedisServer.start();
                RedisCli cli = server.cli()) {
            cli.command("REPLICAOF", "127.0.0.1", "1");
            try (ConnectedStore store = unready(server.port(), "lock")) {
                soon().until(() ->
                        "at a server that rejects them".equals(store.store().obstacle()));
                assertThat(store.failure(Way.CALL, acquire("a", "me"))).hasMessageContaining("READONLY");
                assertThat(cli.exists(KEY)).isFalse();

                cli.command("REPLICAOF", "NO", "ONE");
                cli.command("CLIENT", "KILL", "TYPE", "normal");

                soon().until(() -> cli.hgetall(KEY).equals(Map.of("version", OWN)));
                assertThat(this.log.with("format")).isEmpty();
            }
        }
    }

    @Test
    void shouldBelongToThePrefix() {
        this.redis.command("HSET", "other:format", "version", OTHER);

        try (ConnectedStore store = start();
                ConnectedStore other = start(this.proxy.port(), "other")) {
            store.granted("wanted", "me");
            assertRefused(other, Way.CALL, "me");
        }
    }
}
