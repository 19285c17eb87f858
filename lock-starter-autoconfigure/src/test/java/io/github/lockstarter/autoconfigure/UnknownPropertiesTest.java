package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.testsupport.LogCapture;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A misspelled property would otherwise be ignored silently. */
class UnknownPropertiesTest {

    @AutoClose
    private final LogCapture log = new LogCapture(UnknownProperties.class, Level.WARN);

    private List<String> warningsOf(String property) {
        return warningsOf(new MapPropertySource("test", Map.of(property, "1")));
    }

    private List<String> warningsOf(PropertySource<?> source) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(source);
        new UnknownProperties(environment).afterSingletonsInstantiated();
        return this.log.with("");
    }

    @ParameterizedTest
    @CsvSource({
        "wait-tme, wait-time",
        "wiat-time, wait-time",
        "watchdog.timout, watchdog.timeout",
        "watchdog-timeout, watchdog.timeout",
        "wathcdog.maxHold, watchdog.max-hold",
        "max-hold, watchdog.max-hold",
        "redis.command.timeout, redis.command-timeout",
        "private-connection, redis.private-connection",
        "redis.wait-time, wait-time",
        "observations.enabled, observation.enabled",
        "key_prefx, key-prefix",
        "wait-time.seconds, wait-time",
        "watchdog.max, watchdog.max-hold"
    })
    void shouldNameTheNearestProperty(String property, String nearest) {
        assertThat(warningsOf("distributed-lock." + property))
                .singleElement()
                .asString()
                .startsWith("distributed-lock." + property + " has no effect:")
                .contains("the nearest is distributed-lock." + nearest + '.');
    }

    @Test
    void shouldListThePropertiesIfNoneIsNear() {
        assertThat(warningsOf("distributed-lock.scheduler.pool"))
                .singleElement()
                .asString()
                .contains("distributed-lock.scheduler.pool has no effect", "enabled, mode, store", "watchdog.timeout");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc.fence.enabled, lock-starter-jdbc",
        "jdbc.fence.data-sources[0], lock-starter-jdbc",
        "leader.roles.feed.auto-start, lock-starter-leader",
        "ui.enabled, lock-starter-ui"
    })
    void shouldNameTheModuleThatAPropertyNeeds(String property, String module) {
        assertThat(warningsOf("distributed-lock." + property))
                .singleElement()
                .asString()
                .contains("has no effect", "\"distributed-lock." + property + '"', module);
    }

    @Test
    void shouldNameTheEnvironmentVariable() {
        assertThat(warningsOf(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("DISTRIBUTEDLOCK_WAIT_TIME", "5s"))))
                .singleElement()
                .asString()
                .contains("the nearest is distributed-lock.wait-time.", "DISTRIBUTEDLOCK_WAIT_TIME");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distributed-lock.wait-time",
                "distributed-lock.waitTime",
                "distributedLock.waitTime",
                "distributed_lock.wait_time",
                "DISTRIBUTED-LOCK.WAIT-TIME",
                "distributed-lock.REDIS.commandTimeout",
                "distributedlock.watchdog.max_hold",
                "distributed-lock.locks",
                "distributed-lock.locks.order",
                "distributed-lock.locks.[order.paid].minHold",
                "distributed-lock.locks.event.wait-time",
                "distributed-lock.redis",
                "distributed-lock",
                "distributed-locks.wait-tme",
                "spring.data.redis.prt"
            })
    void shouldBeSilentOf(String property) {
        assertThat(warningsOf(property)).isEmpty();
    }

    @Test
    void shouldBeSilentOfEnvironmentVariables() {
        assertThat(warningsOf(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment",
                        Map.of(
                                "DISTRIBUTEDLOCK_WAITTIME", "5s",
                                "DISTRIBUTEDLOCK_LOCKS_ORDER_MINHOLD", "5s",
                                "DISTRIBUTED_LOCK_REDIS_COMMAND_TIMEOUT", "1s",
                                "distributedlock_watchdog_maxhold", "1h"))))
                .isEmpty();
    }
}
