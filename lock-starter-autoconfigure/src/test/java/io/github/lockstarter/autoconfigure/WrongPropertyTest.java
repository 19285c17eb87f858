package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What is printed about a property that cannot work: as it was typed, where, and what to set instead. */
class WrongPropertyTest {

    private final StandardEnvironment environment = new StandardEnvironment();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "wait-time                | -2    | 10s",
                "max-waiters              | -1    | no limit",
                "watchdog.timeout         | 50ms  | 30s",
                "watchdog.max-hold        | 0     | no cap",
                "redis.command-timeout    | 0     | watchdog.timeout",
                "redis.poll-interval      | 0     | watchdog.timeout",
                "redis.confirm-replicas   | 17    | number of replicas",
                "redis.confirm-replicas   | -1    | number of replicas",
                "handoff.max-time         | 11s   | 10ms",
                "handoff.max-count        | 10001 | 64",
                "shutdown-timeout         | -1s   | 10s",
                "key-prefix               | a{b   | lock",
                "locks.event.wait-time    | -2    | wait-time",
                "locks.[A.b].lease        | 0     | annotation",
                "locks.event.max-hold     | -2    | watchdog.max-hold",
                "locks.event.max-waiters  | -1    | max-waiters",
                "locks.event.min-hold     | -1    | annotation",
                "locks.event.watchdog-timeout  | 99ms  | watchdog.timeout"
            })
    void shouldShowWhatWasTypedAndTheDefault(String property, String value, String defaultValue) {
        FailureAnalysis analysis = analysis(Map.of("distributed-lock." + property, value));

        assertThat(analysis.getDescription())
                .startsWith("distributed-lock." + property)
                .contains("Property: distributed-lock." + property, "Value: \"" + value + '"', "Origin: ");
        assertThat(analysis.getAction()).contains(defaultValue).doesNotContain("unit");
    }

    @Test
    void shouldShowAllThatHavePartInIt() {
        FailureAnalysis analysis = analysis(
                Map.of("distributed-lock.watchdog.timeout", "4s", "distributed-lock.redis.command-timeout", "1500ms"));

        assertThat(analysis.getDescription())
                .containsSubsequence(
                        "1s333ms",
                        "Property: distributed-lock.watchdog.timeout",
                        "Value: \"4s\"",
                        "Property: distributed-lock.redis.command-timeout",
                        "Value: \"1500ms\"",
                        "Property: distributed-lock.watchdog.renew-interval",
                        "Value: 1s333ms",
                        "(not set)");
        assertThat(analysis.getAction()).contains("at least 6s");
        // The remedy works.
        start(Map.of("distributed-lock.watchdog.timeout", "6s")).close();
    }

    @Test
    void shouldShowWhyReplicasCannotConfirmOverTheConnectionOfTheApplication() {
        FailureAnalysis analysis = analysis(Map.of(
                "distributed-lock.redis.confirm-replicas", "1", "distributed-lock.redis.private-connection", "false"));

        assertThat(analysis.getDescription())
                .containsSubsequence(
                        "Property: distributed-lock.redis.confirm-replicas",
                        "Value: \"1\"",
                        "Property: distributed-lock.redis.private-connection",
                        "Value: \"false\"");
        assertThat(analysis.getAction()).contains("distributed-lock.redis.private-connection=true");
    }

    @Test
    void shouldSayThatANumberIsInMilliseconds() {
        assertThat(analysis(Map.of("distributed-lock.watchdog.timeout", "30")).getAction())
                .contains("unit", "30s");
    }

    @Test
    void shouldShowAnEnvironmentVariableAsItsOrigin() {
        this.environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        Map.of("DISTRIBUTEDLOCK_WATCHDOG_TIMEOUT", "1ms")));

        assertThat(analysis(Map.of()).getDescription()).contains("Value: \"1ms\"", "DISTRIBUTEDLOCK_WATCHDOG_TIMEOUT");
    }

    private FailureAnalysis analysis(Map<String, Object> properties) {
        Throwable failure = catchThrowable(() -> start(properties));
        return FailureAnalyses.of(failure, this.environment);
    }

    private AnnotationConfigApplicationContext start(Map<String, Object> properties) {
        MapPropertySource typed = new MapPropertySource("typed " + properties, properties);
        this.environment.getPropertySources().addFirst(typed);
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setEnvironment(this.environment);
        context.register(Properties.class);
        context.refresh();
        return context;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(DistributedLockProperties.class)
    static class Properties {}
}
