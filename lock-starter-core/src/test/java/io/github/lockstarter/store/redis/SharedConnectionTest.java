package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.store.StoreListener;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Tests when locks over the application's connection are logged as a risk. */
class SharedConnectionTest {

    private static final StoreListener NO_LISTENER = new StoreListener() {
        @Override
        public void granted(String lock, String id, long token) {}

        @Override
        public void notificationsMayBeLost() {}

        @Override
        public void serverChanged() {}
    };

    private final Logger logger = (Logger) LoggerFactory.getLogger(SharedConnection.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void record() {
        this.log.start();
        this.logger.setLevel(Level.WARN);
        this.logger.addAppender(this.log);
    }

    @AfterEach
    void stopRecording() {
        this.logger.detachAppender(this.log);
        this.logger.setLevel(null);
    }

    private String start(RedisConnectionFactory factory, boolean privateConnection) {
        RedisLockStore store = new RedisLockStore(
                factory,
                new RedisStoreSettings("shop", Duration.ofSeconds(1), privateConnection, Duration.ofSeconds(1)));
        LettuceConnectionFactory lettuce = factory instanceof LettuceConnectionFactory started ? started : null;
        if (lettuce != null) {
            // connects when it is used
            lettuce.afterPropertiesSet();
            lettuce.start();
        }
        store.start("instance", NO_LISTENER);
        store.stop();
        if (lettuce != null) {
            lettuce.destroy();
        }
        return store.description();
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
    void shouldWarnOfAnotherClient() {
        String description = start(ofAnotherClient(), true);

        assertThat(this.log.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains("$Proxy", "renewals", "Lettuce", "distributed-lock.redis.private-connection=false");
        });
        assertThat(description).contains("over the application's", "key prefix shop");
    }

    @Test
    void shouldNotBeUsedIfReplicasConfirmGrants() {
        RedisStoreSettings settings = new RedisStoreSettings("shop", Duration.ofSeconds(1), true, Duration.ofSeconds(1))
                .withConfirmReplicas(1);
        for (RedisConnectionFactory each : List.of(ofAnotherClient(), ofMasterAndReplica())) {
            InvalidLockSettingException failure =
                    catchThrowableOfType(InvalidLockSettingException.class, () -> new RedisLockStore(each, settings));

            assertThat(failure.property()).isEqualTo("distributed-lock.redis.confirm-replicas");
            assertThat(failure.remedy()).contains("Lettuce");
        }
    }

    @Test
    void shouldWarnOfServersThatCannotBeCopied() {
        start(ofMasterAndReplica(), true);

        assertThat(this.log.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .contains("LettuceConnectionFactory");
    }

    @Test
    void shouldNotWarnIfItIsConfigured() {
        start(ofAnotherClient(), false);
        start(new LettuceConnectionFactory(new RedisStandaloneConfiguration("elsewhere")), false);

        assertThat(this.log.list).isEmpty();
    }
}
