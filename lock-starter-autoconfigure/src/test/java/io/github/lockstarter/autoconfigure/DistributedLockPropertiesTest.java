package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Store;
import io.github.lockstarter.registry.HandOffSettings;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.context.annotation.AdviceMode;

class DistributedLockPropertiesTest {

    @Test
    void shouldHaveTheDocumentedDefaults() {
        DistributedLockProperties properties = bind();

        assertThat(properties.enabled()).isTrue();
        assertThat(properties.mode()).isEqualTo(AdviceMode.PROXY);
        assertThat(properties.store()).isEqualTo(Store.REDIS);
        assertThat(properties.keyPrefix()).isEqualTo("lock");
        assertThat(properties.redis().privateConnection()).isTrue();
        assertThat(properties.aspect().order()).isEqualTo(DistributedLockBeanPostProcessor.DEFAULT_ORDER);
        assertThat(properties.metrics().enabled()).isTrue();
        assertThat(properties.observation().enabled()).isNull();
        assertThat(properties.logKeys()).isTrue();
        assertThat(properties.settings()).satisfies(settings -> {
            assertThat(settings.waitTime()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.onLost()).isEqualTo(OnLost.THROW);
            assertThat(settings.watchdogTimeout()).isEqualTo(Duration.ofSeconds(30));
            assertThat(settings.renewInterval()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.maxHold()).isNull();
            assertThat(settings.commandTimeout()).isEqualTo(Duration.ofSeconds(3));
            assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(1));
            assertThat(settings.shutdownTimeout()).isEqualTo(Duration.ofSeconds(10));
            assertThat(settings.handOff()).isEqualTo(new HandOffSettings(Duration.ofMillis(10), 64));
            assertThat(settings.releaseMode()).isEqualTo(ReleaseMode.AWAIT);
            assertThat(settings.logKeys()).isTrue();
            assertThat(settings.warnOnUnlockInTransaction()).isTrue();
        });
        assertThat(properties.redisSettings().logKeys()).isTrue();
        assertThat(properties.redisSettings().publishInstance()).isTrue();
        assertThat(properties.redisSettings().confirmReplicas()).isZero();
        assertThat(properties.redisSettings().messages()).isEqualTo(MessageMode.AUTO);
    }

    @Test
    void shouldBindEveryProperty() {
        DistributedLockProperties properties = bind(
                "distributed-lock.enabled=false",
                "distributed-lock.mode=aspectj",
                "distributed-lock.store=memory",
                "distributed-lock.key-prefix=shop",
                "distributed-lock.wait-time=2s",
                "distributed-lock.on-lost=interrupt",
                "distributed-lock.watchdog.timeout=12s",
                "distributed-lock.watchdog.renew-interval=3s",
                "distributed-lock.watchdog.max-hold=5m",
                "distributed-lock.redis.command-timeout=700ms",
                "distributed-lock.redis.private-connection=false",
                "distributed-lock.redis.poll-interval=200",
                "distributed-lock.redis.publish-instance=false",
                "distributed-lock.redis.messages=client",
                "distributed-lock.handoff.max-time=3",
                "distributed-lock.handoff.max-count=7",
                "distributed-lock.release=background",
                "distributed-lock.aspect.order=7",
                "distributed-lock.metrics.enabled=false",
                "distributed-lock.observation.enabled=false",
                "distributed-lock.log-keys=false",
                "distributed-lock.warn-on-unlock-in-transaction=false",
                "distributed-lock.shutdown-timeout=1m");

        assertThat(properties.enabled()).isFalse();
        assertThat(properties.mode()).isEqualTo(AdviceMode.ASPECTJ);
        assertThat(properties.store()).isEqualTo(Store.MEMORY);
        assertThat(properties.keyPrefix()).isEqualTo("shop");
        assertThat(properties.redis().privateConnection()).isFalse();
        assertThat(properties.aspect().order()).isEqualTo(7);
        assertThat(properties.metrics().enabled()).isFalse();
        assertThat(properties.observation().enabled()).isFalse();
        assertThat(properties.settings()).satisfies(settings -> {
            assertThat(settings.waitTime()).isEqualTo(Duration.ofSeconds(2));
            assertThat(settings.onLost()).isEqualTo(OnLost.INTERRUPT);
            assertThat(settings.watchdogTimeout()).isEqualTo(Duration.ofSeconds(12));
            assertThat(settings.renewInterval()).isEqualTo(Duration.ofSeconds(3));
            assertThat(settings.maxHold()).isEqualTo(Duration.ofMinutes(5));
            assertThat(settings.commandTimeout()).isEqualTo(Duration.ofMillis(700));
            assertThat(settings.pollInterval()).isEqualTo(Duration.ofMillis(200));
            assertThat(settings.shutdownTimeout()).isEqualTo(Duration.ofMinutes(1));
            assertThat(settings.handOff()).isEqualTo(new HandOffSettings(Duration.ofMillis(3), 7));
            assertThat(settings.releaseMode()).isEqualTo(ReleaseMode.BACKGROUND);
            assertThat(settings.logKeys()).isFalse();
            assertThat(settings.warnOnUnlockInTransaction()).isFalse();
        });
        assertThat(properties.redisSettings().logKeys()).isFalse();
        assertThat(properties.redisSettings().publishInstance()).isFalse();
        assertThat(properties.redisSettings().messages()).isEqualTo(MessageMode.CLIENT);
        assertThat(properties.redisSettings().pollInterval()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void shouldRefuseAModeOfMessagesThatDoesNotExist() {
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> bind("distributed-lock.redis.messages=none"))
                .havingRootCause()
                .withMessageContaining("none");
    }

    @Test
    void shouldNotConfuseTheSwitchesOfRedis() {
        RedisStoreSettings shared =
                bind("distributed-lock.redis.private-connection=false").redisSettings();
        assertThat(shared.privateConnection()).as("private connection").isFalse();
        assertThat(shared.publishInstance()).as("instance is published").isTrue();

        RedisStoreSettings silent =
                bind("distributed-lock.redis.publish-instance=false").redisSettings();
        assertThat(silent.privateConnection()).as("private connection").isTrue();
        assertThat(silent.publishInstance()).as("instance is published").isFalse();
    }

    /** Not together with the application's connection, which is bound above. */
    @Test
    void shouldBindTheNumberOfReplicas() {
        assertThat(bind("distributed-lock.redis.confirm-replicas=2")
                        .redisSettings()
                        .confirmReplicas())
                .isEqualTo(2);
    }

    @Test
    void shouldDeriveTimesFromTheWatchdogTimeout() {
        assertThat(bind("distributed-lock.watchdog.timeout=600ms").settings()).satisfies(settings -> {
            assertThat(settings.renewInterval()).isEqualTo(Duration.ofMillis(200));
            assertThat(settings.commandTimeout()).isEqualTo(Duration.ofMillis(100));
            assertThat(settings.pollInterval()).isEqualTo(Duration.ofMillis(100));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "-1ms", "PT-0.001S"})
    void shouldWaitForEver(String value) {
        assertThat(bind("distributed-lock.wait-time=" + value).settings().waitTime())
                .isEqualTo(LockRequest.FOREVER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "-1ms"})
    void shouldHoldWithoutCap(String value) {
        assertThat(bind("distributed-lock.watchdog.max-hold=" + value)
                        .settings()
                        .maxHold())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "key-prefix               | ''      | key-prefix",
                "key-prefix               | '  '    | key-prefix",
                "key-prefix               | a{b     | key-prefix",
                "key-prefix               | a}b     | key-prefix",
                "wait-time                | -2ms    | wait-time",
                "wait-time                | -1s     | wait-time",
                "watchdog.timeout         | 99ms    | watchdog.timeout",
                "watchdog.timeout         | -1      | watchdog.timeout",
                "watchdog.renew-interval  | 0       | watchdog.renew-interval",
                "watchdog.renew-interval  | 25s     | watchdog.timeout must leave room for a retry",
                "watchdog.max-hold        | 0       | watchdog.max-hold",
                "watchdog.max-hold        | -2      | watchdog.max-hold",
                "redis.command-timeout    | 0       | redis.command-timeout",
                "redis.command-timeout    | 20s     | watchdog.timeout must leave room for a retry",
                "redis.poll-interval      | -1      | redis.poll-interval",
                "shutdown-timeout         | -1s     | shutdown-timeout",
                "handoff.max-time         | -1      | handoff.max-time",
                "handoff.max-time         | 11s     | handoff.max-time",
                "handoff.max-count        | -1      | handoff.max-count",
                "release                  | later   | release",
                "store                    | mongo   | store",
                "on-lost                  | explode | on-lost",
                "on-lost                  | default | on-lost",
                "watchdog.timeout         | soon    | watchdog.timeout"
            })
    void shouldRefuseWhatCannotWork(String property, String value, String named) {
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> bind("distributed-lock." + property + "=" + value))
                .satisfies(refused -> assertThat(messages(refused)).contains("distributed-lock." + named));
    }

    private static String messages(Throwable thrown) {
        return thrown == null ? "" : thrown.getMessage() + "\n" + messages(thrown.getCause());
    }

    private static DistributedLockProperties bind(String... pairs) {
        Map<String, String> values = Arrays.stream(pairs)
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        return new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("distributed-lock", DistributedLockProperties.class);
    }
}
