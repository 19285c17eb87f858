package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static io.github.lockstarter.store.redis.ConnectedStore.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that refuses the time only later, and another server at the same address: the store asks again. */
@RedisTest
class ChangedServerTest {

    @AutoClose
    private final LogCapture log = new LogCapture(StoreConnection.class, Level.INFO);

    private final RedisServer server;

    ChangedServerTest(RedisServer server) {
        this.server = server;
    }

    private static ConnectedStore store(FaultProxy proxy, boolean isPrivate) {
        RedisStoreSettings settings =
                new RedisStoreSettings("lock", Duration.ofSeconds(10), isPrivate, Duration.ofSeconds(5));
        return new ConnectedStore("one", Servers.at(proxy.host(), proxy.port()), settings).connected();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldUseAnotherSourceOfTimeOnTheSameConnection(boolean isPrivate) {
        CoarseTimeTest.requireExpiryTime(this.server);
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port());
                ConnectedStore store = store(proxy, isPrivate)) {
            long token = store.granted("a", "me");
            long connections = proxy.connectionsAccepted();

            proxy.behaveAs(ServiceProfile.noTime());

            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.granted("b", "me"));
            soon().until(() -> store.store().description().contains("time by PEXPIRETIME"));
            assertThat(store.call(renew("a", "me"))).isEqualTo(Reply.Renewed.INSTANCE);
            assertThat(store.call(release("a", "me"))).isEqualTo(Reply.Released.INSTANCE);
            assertThat(store.granted("a", "you")).as("the next token").isGreaterThan(token);
            assertThat(proxy.connectionsAccepted()).as("connections").isEqualTo(connections);
            assertThat(this.log.with("refuses TIME in scripts")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotAskAfterEachFailure(boolean isPrivate) {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.server.port());
                ConnectedStore store = store(proxy, isPrivate)) {
            store.granted("a", "me");
            proxy.behaveAs(ServiceProfile.noTimeAtAll());
            proxy.forgetCommands();
            long start = System.nanoTime();

            for (int i = 0; i < 100; i++) {
                String name = "free-" + i;
                assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.granted(name, "me"));
            }

            soon().until(() -> !this.log.with("shows no time in scripts").isEmpty());
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + 1;
            assertThat(proxy.commandsSeen(Commands.named("info")))
                    .as("questions in " + seconds + " seconds")
                    .isBetween(1L, seconds);
            assertThat(this.log.with("")).singleElement().asString().contains("TIME", "PEXPIRETIME", "#time-of-the-");
        }
    }

    /** The client reconnects by itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDescribeTheServerToWhichTheClientReconnects(boolean isPrivate) {
        CoarseTimeTest.requireExpiryTime(this.server);
        try (FaultProxy other = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.serverlessOfRedis());
                FaultProxy way = FaultProxy.inFrontOf(this.server.port());
                ConnectedStore store = store(way, isPrivate)) {
            store.granted("a", "me");
            way.leadTo(other.port());
            way.cutFin();

            soon().ignoreExceptions().until(() -> {
                store.call(renew("a", "me"));
                return isOther(store);
            });
        }
    }

    /** Its commands are refused, so that the store opens another connection, as after a failover. */
    @Test
    void shouldDescribeTheServerOfTheNextConnection() {
        CoarseTimeTest.requireExpiryTime(this.server);
        try (RedisServer former = RedisServer.start();
                FaultProxy other = FaultProxy.inFrontOf(this.server.port(), ServiceProfile.serverlessOfRedis());
                FaultProxy way = FaultProxy.inFrontOf(former.port());
                ConnectedStore store = store(way, true)) {
            store.granted("b", "me");
            way.leadTo(other.port());
            former.cli().command("REPLICAOF", "127.0.0.1", "1");

            soon().ignoreExceptions().until(() -> {
                store.granted("c", "me");
                return isOther(store);
            });
        }
    }

    private static boolean isOther(ConnectedStore store) {
        Server server = store.store().server();
        return "PEXPIRETIME".equals(server.time()) && "7.1.0".equals(server.version());
    }
}
