package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The line at start shows the configuration as it is written in one. */
class StartLineTest {

    @AutoClose
    private final LogCapture log = new LogCapture(LeasingLockRegistry.class, Level.INFO);

    private String lineOf(LockSettings settings) {
        InMemoryLockStore store = new InMemoryLockStore();
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of());
        registry.start();
        registry.stop();
        assertThat(this.log.with(store.description())).isEqualTo(this.log.all()).hasSize(1);
        return this.log.all().get(0);
    }

    @Test
    void shouldShowTimesInTheirUnits() {
        LockSettings settings = LockSettings.of(
                Duration.ofMinutes(2),
                OnLost.THROW,
                Duration.ofSeconds(30),
                null,
                null,
                Duration.ofMillis(500),
                null,
                Duration.ofSeconds(10));

        assertThat(lineOf(settings))
                .contains("timeout 30s", "every 10s", "wait time 2m", "command timeout 500ms")
                .doesNotContain("PT");
    }

    @Test
    void shouldShowThatWaitsHaveNoLimit() {
        LockSettings settings = LockSettings.of(
                LockRequest.FOREVER, OnLost.THROW, Duration.ofSeconds(30), null, null, null, null, Duration.ZERO);

        assertThat(lineOf(settings)).contains("wait time -1 ");
    }
}
