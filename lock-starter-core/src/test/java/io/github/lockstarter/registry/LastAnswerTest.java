package io.github.lockstarter.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.RemoteStore;
import io.github.lockstarter.store.Command;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time since the last reply of the store, as the health shows it. */
@Timeout(60)
class LastAnswerTest {

    @AutoClose
    private final RemoteStore.Server server = new RemoteStore.Server();

    /** The health asks seldom, so that its own attempt can be much older than the last reply. */
    @Test
    void shouldCountRepliesToCommandsOfLocks() throws Exception {
        RemoteStore store = new RemoteStore(this.server);
        store.intercept((command, unchanged) -> {
            if (command instanceof Command.Acquire acquire && acquire.lock().equals("lock-starter-health")) {
                throw new LockStoreException("no answer to the health", null, true, true);
            }
            return unchanged.apply(command);
        });
        LockSettings settings = LockSettings.of(
                Duration.ofSeconds(10), OnLost.THROW, Duration.ofSeconds(30), null, null, null, null, Duration.ZERO);
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of());
        registry.start();
        try {
            assertThat(registry.health().lastAnswer()).isNull();

            registry.acquire(LockRequest.of("order")).release();

            assertThat(registry.health().lastAnswer()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        } finally {
            registry.stop();
        }
    }

    @Test
    void shouldNotCountFailures() {
        RemoteStore store = new RemoteStore(this.server);
        store.intercept((command, unchanged) -> {
            throw new LockStoreException("no answer", null, true, true);
        });
        LockSettings settings = LockSettings.of(
                Duration.ZERO, OnLost.THROW, Duration.ofSeconds(3), null, null, null, null, Duration.ZERO);
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of());
        registry.start();
        try {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> registry.acquire(LockRequest.of("order")));

            assertThat(registry.health().lastAnswer())
                    .as("time since the last answer of a store whose commands have all failed")
                    .isNull();
        } finally {
            store.interceptNothing();
            registry.stop();
        }
    }
}
