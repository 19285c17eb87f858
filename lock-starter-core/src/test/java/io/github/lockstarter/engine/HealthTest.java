package io.github.lockstarter.engine;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.ForwardingStore;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Health of a registry whose watchdog is late. */
@Timeout(60)
class HealthTest {

    private volatile Duration passed = Duration.ZERO;

    private final LeaseClock clock = new LeaseClock() {

        @Override
        public long nanoTime() {
            return System.nanoTime() + HealthTest.this.passed.toNanos();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis() + HealthTest.this.passed.toMillis();
        }
    };

    /** Renewals do not return, and so occupy the thread of the watchdog. */
    private static final class Silent extends ForwardingStore {

        final CompletableFuture<Command> renewal = new CompletableFuture<>();

        final CountDownLatch end = new CountDownLatch(1);

        Silent() {
            super(new InMemoryLockStore());
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            if (command instanceof Command.Renew) {
                this.renewal.complete(command);
                try {
                    this.end.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            }
            return super.send(command);
        }
    }

    /** Other locks are renewed every ten seconds, so that a delay of two seconds would not matter to them. */
    @Test
    void shouldBeDownIfTheWatchdogIsTooLateForTheShortestIntervalOfAName() throws Exception {
        NamedValue<Duration> timeout = new NamedValue<>("locks.quick.watchdog-timeout", Duration.ofMillis(900));
        LockSettings settings = LockSettings.of(
                        Duration.ofSeconds(10),
                        OnLost.THROW,
                        Duration.ofSeconds(30),
                        null,
                        null,
                        Duration.ofMillis(150),
                        null,
                        Duration.ZERO)
                .withNamed(
                        new SettingsByName(List.of(new NamedSettings("quick", null, null, null, null, null, timeout))));
        Silent store = new Silent();
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of(), null, this.clock);
        try {
            Lease common = registry.acquire(LockRequest.of("common"));
            soon().untilAsserted(() -> assertThat(registry.health().status())
                    .as("health before the watchdog is late")
                    .isEqualTo(Status.UP));
            Lease quick = registry.acquire(LockRequest.of("quick:1"));
            assertThat(get(store.renewal).lock())
                    .as("lock that is renewed first")
                    .isEqualTo(quick.name());

            this.passed = Duration.ofSeconds(2);
            LockHealth health = registry.health();

            assertThat(health.watchdogLag())
                    .as("delay of the watchdog, which has to call lock %s", common.name())
                    .isBetween(Duration.ofMillis(301), Duration.ofSeconds(10));
            assertThat(health.status())
                    .as("health with a delay of %s and an interval of 300 ms", health.watchdogLag())
                    .isEqualTo(Status.DOWN);
            assertThat(health.problem()).as("problem").contains("watchdog");
        } finally {
            store.end.countDown();
            registry.stop();
        }
    }
}
