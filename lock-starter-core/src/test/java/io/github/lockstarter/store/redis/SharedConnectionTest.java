package io.github.lockstarter.store.redis;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisTest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Locks over the application's connection: when that is logged as a risk, and that its disconnections are counted. */
@RedisTest
class SharedConnectionTest {

    @AutoClose
    private final LogCapture log = new LogCapture(SharedConnection.class, Level.INFO);

    private static RedisStoreSettings settings(boolean privateConnection) {
        return new RedisStoreSettings("shop", Duration.ofSeconds(1), privateConnection, Duration.ofSeconds(1));
    }

    /** Starts and stops a store, and returns its description. Lettuce connects when it is used. */
    private static String start(RedisConnectionFactory factory, boolean privateConnection) {
        LettuceConnectionFactory lettuce =
                factory instanceof LettuceConnectionFactory given ? given : new LettuceConnectionFactory();
        try (ConnectedStore store = new ConnectedStore("one", lettuce, factory, settings(privateConnection))) {
            return store.store().description();
        }
    }

    /** As of Jedis. */
    private static RedisConnectionFactory ofAnotherClient() {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                RedisConnectionFactory.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> null);
    }

    private static RedisConnectionFactory ofMasterAndReplica() {
        RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("elsewhere");
        servers.addNode("replica", 1234);
        return new LettuceConnectionFactory(servers);
    }

    @Test
    void shouldDescribeTheServer(FaultProxy proxy) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(proxy.host(), proxy.port()));
        try (ConnectedStore store = new ConnectedStore("one", factory, settings(false))) {
            soon().untilAsserted(() -> assertThat(store.store().server().toString())
                    .matches("(Redis|Valkey) \\d.*, standalone, database 0, time by TIME"));
        }
    }

    @Test
    void shouldWarnOfFactoriesThatCannotBeCopied() {
        assertThat(start(ofAnotherClient(), true)).contains("over the application's", "key prefix shop");
        start(ofMasterAndReplica(), true);

        assertThat(this.log.with("renewals")).hasSize(2);
        assertThat(this.log.with("renewals").get(0))
                .contains("$Proxy", "Lettuce", "distributed-lock.redis.private-connection=false");
        assertThat(this.log.with("renewals").get(1)).contains("LettuceConnectionFactory");
    }

    @Test
    void shouldNotWarnIfItIsConfigured() {
        start(ofAnotherClient(), false);
        start(new LettuceConnectionFactory(new RedisStandaloneConfiguration("elsewhere")), false);

        assertThat(this.log.events()).as("lines").singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getFormattedMessage()).contains("$Proxy", "not probed", "redis.messages=client");
        });
    }

    @Test
    void shouldNotBeUsedIfReplicasConfirmGrants() {
        RedisStoreSettings settings = new RedisStoreSettings(
                "shop", Duration.ofSeconds(1), true, Duration.ofSeconds(1), true, true, 1, MessageMode.AUTO);
        for (RedisConnectionFactory each : List.of(ofAnotherClient(), ofMasterAndReplica())) {
            InvalidLockSettingException failure =
                    catchThrowableOfType(InvalidLockSettingException.class, () -> new RedisLockStore(each, settings));

            assertThat(failure.property()).isEqualTo("distributed-lock.redis.confirm-replicas");
            assertThat(failure.remedy()).contains("Lettuce");
        }
    }

    /** A factory that is started again has another client, after whose disconnections it repeats commands. */
    @Test
    void shouldCountDisconnectionsOfAFactoryThatWasStartedAgain(FaultProxy proxy) {
        LettuceConnectionFactory factory = Servers.at("127.0.0.1", proxy.port());
        try (ConnectedStore store = new ConnectedStore("one", factory, settings(false)).connected()) {
            store.store().stop();
            factory.stop();
            factory.start();
            store.store().start("again", store);
            store.connected().granted("a", "me");
            // The server knows the script from then on.
            assertThat(store.call(release("b", "me"))).isEqualTo(Reply.NotOwner.FREE);
            proxy.swallowReplyOf(Commands.with("shop:{a}"), proxy::cutFin);

            assertThat(store.call(release("a", "me")))
                    .as("the reply to the second execution")
                    .isEqualTo(Reply.Released.INSTANCE);
        }
    }
}
