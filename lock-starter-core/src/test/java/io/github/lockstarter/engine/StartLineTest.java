package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.store.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The line at start shows the configuration as it is written in one. */
class StartLineTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(LeasingLockRegistry.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        this.log.start();
        this.logger.setLevel(Level.INFO);
        this.logger.addAppender(this.log);
    }

    @AfterEach
    void stopListening() {
        this.logger.detachAppender(this.log);
        this.logger.setLevel(null);
    }

    private String lineOf(LockSettings settings) {
        InMemoryLockStore store = new InMemoryLockStore();
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of());
        registry.start();
        registry.stop();
        assertThat(this.log.list).hasSize(1);
        assertThat(this.log.list.get(0).getFormattedMessage()).contains(store.description());
        return this.log.list.get(0).getFormattedMessage();
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
