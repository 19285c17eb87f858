package io.github.lockstarter.registry;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeaseClock;
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
                .withNamed(new SettingsByName(
                        List.of(new NamedSettings("quick", null, null, null, null, null, timeout, null))));
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

    /** A store that is slow is not one that is down. */
    @Test
    void shouldBeDownOnlyWhenTheStoreHasNotAnsweredForACommandTimeout() {
        LockSettings settings = LockSettings.of(
                Duration.ofSeconds(10),
                OnLost.THROW,
                Duration.ofSeconds(30),
                null,
                null,
                Duration.ofSeconds(3),
                null,
                Duration.ZERO);
        CompletableFuture<Reply> never = new CompletableFuture<>();
        ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

            @Override
            public CompletionStage<Reply> send(Command command) {
                return never;
            }
        };
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of(), null, this.clock);
        registry.start();
        try {
            assertThat(registry.health().status())
                    .as("health while the first attempt is open")
                    .isEqualTo(Status.UNKNOWN);

            this.passed = Duration.ofSeconds(4);
            LockHealth health = registry.health();

            assertThat(health.status())
                    .as("health after a command timeout without an answer")
                    .isEqualTo(Status.DOWN);
            assertThat(health.problem()).as("problem").contains("does not answer");
        } finally {
            registry.stop();
        }
    }

    /** Locks that are awaited have a wheel of their own. */
    @Test
    void shouldShowThatTheWatchdogIsLateForAWait() throws Exception {
        Silent store = new Silent();
        Reply taken = store.call(new Command.Acquire("wanted", "of-another-instance", 60_000, false));
        assertThat(taken).isInstanceOf(Reply.Granted.class);
        LockSettings settings = LockSettings.of(
                Duration.ofMinutes(1),
                OnLost.THROW,
                Duration.ofSeconds(30),
                null,
                null,
                Duration.ofSeconds(4),
                null,
                Duration.ZERO);
        LeasingLockRegistry registry = new LeasingLockRegistry(store, settings, null, List.of(), null, this.clock);
        try {
            CompletableFuture<Lease> wait = registry.acquireAsync(LockRequest.of("wanted"));
            Lease held = registry.acquire(LockRequest.of("held"));
            this.passed = Duration.ofSeconds(11);
            assertThat(get(store.renewal).lock())
                    .as("lock whose renewal occupies the watchdog, and is repeated after four seconds")
                    .isEqualTo(held.name());

            this.passed = Duration.ofSeconds(14);

            assertThat(registry.watchdogLag())
                    .as("delay of the watchdog, which has to ask for a lock that is awaited")
                    .isGreaterThan(Duration.ofSeconds(1));
            wait.cancel(true);
        } finally {
            store.end.countDown();
            registry.stop();
        }
    }

    @Test
    void shouldShowTheLongestOfTheWaitsForALock() {
        Awaited reader = new Awaited("a", LockMode.READ, 2, Duration.ofSeconds(1));
        Awaited writer = new Awaited("a", LockMode.WRITE, 3, Duration.ofSeconds(7));

        Awaited both = Inventory.sum(reader, writer);

        assertThat(both).as("both kinds of waits").isEqualTo(Inventory.sum(writer, reader));
        assertThat(both.longest()).as("longest wait").isEqualTo(Duration.ofSeconds(7));
        assertThat(both.mode()).as("mode of the longest wait").isEqualTo(LockMode.WRITE);
        assertThat(both.waiters()).as("all waiters").isEqualTo(5);
    }

    @Test
    void shouldCountTheLeasesAtRiskAmongThoseThatAreHeld() throws Exception {
        ForwardingStore store = new ForwardingStore(new InMemoryLockStore()) {

            @Override
            public CompletionStage<Reply> send(Command command) {
                return command instanceof Command.Renew renew && renew.lock().equals("risky")
                        ? CompletableFuture.failedFuture(new LockStoreException("no answer", null, true, true))
                        : super.send(command);
            }

            @Override
            public int renewalBatchSize() {
                return 1;
            }
        };
        LeasingLockRegistry registry = new LeasingLockRegistry(
                store, LockSettings.of(Duration.ofSeconds(30)), null, List.of(), null, this.clock);
        try {
            Lease risky = registry.acquire(LockRequest.of("risky"));
            Lease safe = registry.acquire(LockRequest.of("safe"));

            this.passed = Duration.ofSeconds(20);

            soon().until(() -> risky.state() == Lease.State.AT_RISK);
            LockHealth health = registry.health();
            assertThat(health.held()).as("leases that are held").isEqualTo(2);
            assertThat(health.atRisk()).as("leases at risk").isOne();
            assertThat(risky.release()).as("the lease at risk was held").isTrue();
            assertThat(safe.release()).as("the other lease was held").isTrue();
        } finally {
            registry.stop();
        }
    }
}
