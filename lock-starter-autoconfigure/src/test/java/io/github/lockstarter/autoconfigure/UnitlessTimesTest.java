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
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** A time without a unit is in milliseconds, which few expect of a small number. */
class UnitlessTimesTest {

    @AutoClose
    private final LogCapture log = new LogCapture(UnitlessTimes.class, Level.WARN);

    private List<String> warnings() {
        return this.log.with("");
    }

    private static void start(String... properties) {
        TestContexts.inMemory()
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource({
        "wait-time, 5",
        "watchdog.timeout, 300",
        "watchdog.renew-interval, 10",
        "watchdog.max-hold, 60",
        "redis.command-timeout, 3",
        "redis.poll-interval, 1",
        "handoff.max-time, 3",
        "shutdown-timeout, 10",
        "locks.event.wait-time, 5",
        "locks.[TicketOffice.sell].max-hold, 5"
    })
    void shouldWarnOfASmallNumber(String property, String number) {
        start("distributed-lock." + property + '=' + number);

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("distributed-lock." + property + '=' + number + " means " + number + " ms; write " + number
                        + "s for seconds")
                .contains(number + "ms");
    }

    @Test
    void shouldWarnOfEach() {
        start("distributed-lock.wait-time=5", "distributed-lock.shutdown-timeout=20");

        assertThat(warnings()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5s", "5ms", "0", "-1", "5000", "PT5S"})
    void shouldBeSilentOf(String waitTime) {
        start("distributed-lock.wait-time=" + waitTime);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldBeSilentOfTheDefaults() {
        start();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldReadPlaceholders() {
        start("distributed-lock.wait-time=${wait}", "wait=5");

        assertThat(warnings()).singleElement().asString().contains("distributed-lock.wait-time", "5 ms");
    }

    @Test
    void shouldNameAnEnvironmentVariable() {
        TestContexts.inMemory()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment", Map.of("DISTRIBUTEDLOCK_WAITTIME", "5"))))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(warnings()).singleElement().asString().contains("DISTRIBUTEDLOCK_WAITTIME");
    }
}
