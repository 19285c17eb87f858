package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.registry.RegistryStatistics;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.MessageStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the gauges show of a registry, and of the locks of one name while they are held and awaited. */
@Timeout(60)
class GaugesTest {

    private static final LockRequest ORDER = LockRequest.of("orders", "42").withWaitTime(LockRequest.FOREVER);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private final MicrometerLockListener listener = new MicrometerLockListener(this.meters);

    @AutoClose("stop")
    private final LeasingLockRegistry registry = new LeasingLockRegistry(
            new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(30)), this.listener, List.of());

    /** A registry with these leases. */
    private record Statistics(Consumer<ObjLongConsumer<String>> visit, MessageStatus messages)
            implements RegistryStatistics {

        Statistics(Consumer<ObjLongConsumer<String>> visit) {
            this(visit, new MessageStatus("client", "", false, 11));
        }

        @Override
        public int active() {
            return 3;
        }

        @Override
        public int waiting() {
            return 5;
        }

        @Override
        public void forEachHold(ObjLongConsumer<String> visitor) {
            this.visit.accept(visitor);
        }

        @Override
        public Duration watchdogLag() {
            return Duration.ofMillis(1500);
        }

        @Override
        public long rejectedMessages() {
            return 9;
        }

        @Override
        public long droppedEvents() {
            return 7;
        }
    }

    @BeforeEach
    void connect() {
        this.listener.setStatistics(this.registry);
    }

    @Test
    void shouldShowTheStatistics() {
        new LockGauges(new Statistics(visitor -> visitor.accept("orders", 1))).bindTo(this.meters);
        TimeGauge lag = this.meters.get("distributed.lock.watchdog.lag").timeGauge();
        FunctionCounter dropped =
                this.meters.get("distributed.lock.events.dropped").functionCounter();

        assertThat(lag.value()).isEqualTo(1.5);
        assertThat(lag.getId().getBaseUnit()).isEqualTo("seconds");
        assertThat(dropped.count()).isEqualTo(7);
        assertThat(this.meters
                        .get("distributed.lock.messages.rejected")
                        .functionCounter()
                        .count())
                .as("rejected messages")
                .isEqualTo(9);
        assertThat(List.of(lag.getId().getDescription(), dropped.getId().getDescription()))
                .doesNotContain("");
    }

    @Test
    void shouldShowTheModeOfMessages() {
        new LockGauges(new Statistics(visitor -> visitor.accept("orders", 1))).bindTo(this.meters);

        assertThat(List.of("script", "client", "polling"))
                .extracting(mode -> this.meters
                        .get("distributed.lock.messages.mode")
                        .tag("mode", mode)
                        .gauge()
                        .value())
                .containsExactly(0.0, 1.0, 0.0);
        assertThat(this.meters
                        .get("distributed.lock.messages.dropped")
                        .functionCounter()
                        .count())
                .isEqualTo(11);
    }

    /** An alert must not fire for a mode that the configuration wants. */
    @ParameterizedTest
    @CsvSource({"true, polling_configured, polling", "false, polling, polling_configured"})
    void shouldTellAModeOfTheConfigurationFromAFailure(boolean isConfigured, String shown, String other) {
        new LockGauges(new Statistics(visitor -> {}, new MessageStatus("polling", "", isConfigured, 0)))
                .bindTo(this.meters);

        assertThat(List.of(shown, other))
                .extracting(mode -> this.meters
                        .get("distributed.lock.messages.mode")
                        .tag("mode", mode)
                        .gauge()
                        .value())
                .containsExactly(1.0, 0.0);
    }

    @Test
    void shouldExistAsSoonAsALockIsWaitedFor() throws Exception {
        InMemoryLockStore store = new InMemoryLockStore();
        LeasingLockRegistry owner =
                new LeasingLockRegistry(store, LockSettings.of(Duration.ofSeconds(30)), null, List.of());
        LeasingLockRegistry waiter =
                new LeasingLockRegistry(store, LockSettings.of(Duration.ofSeconds(30)), this.listener, List.of());
        this.listener.setStatistics(waiter);
        try (Lease lease = owner.acquire(ORDER)) {
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> waiter.execute(ORDER, inner -> null));
            await().until(() -> waiter.waiting() == 1);

            // Without any event of this lock here, an alert needs all of its series.
            await().untilAsserted(() -> assertThat(value("waiting", "orders")).isEqualTo(1));
            assertThat(value("active", "orders")).isZero();
            assertThat(value("hold.longest", "orders")).isZero();
            assertThat(this.meters
                            .get("distributed.lock.acquire")
                            .tags("lock", "orders", "outcome", "acquired")
                            .timer()
                            .count())
                    .isZero();

            lease.close();
            waiting.get(20, TimeUnit.SECONDS);
            await().untilAsserted(() -> assertThat(value("waiting", "orders")).isZero());
        } finally {
            waiter.stop();
            owner.stop();
        }
    }

    @Test
    void shouldCountHoldersAndWaitersOfAllKindsByName() throws Exception {
        LockRequest reader = LockRequest.of("orders", "2").withMode(LockMode.READ);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        try (Lease order = this.registry.acquire(ORDER);
                Lease read = this.registry.acquire(reader);
                Lease invoice = this.registry.acquire(LockRequest.of("invoices"))) {
            waiting.add(this.registry.acquireAsync(ORDER).toCompletableFuture());
            waiting.add(
                    this.registry.acquireAsync(ORDER.withMode(LockMode.READ)).toCompletableFuture());
            waiting.add(this.registry.acquireAsync(LockRequest.of("invoices")).toCompletableFuture());

            await().untilAsserted(() -> assertThat(value("waiting", "orders")).isEqualTo(2));
            assertThat(value("waiting", "orders"))
                    .as("waiters of a gauge that is read again")
                    .isEqualTo(2);
            assertThat(value("waiting", "invoices")).isEqualTo(1);
            await().untilAsserted(() -> assertThat(value("active", "orders")).isEqualTo(2));
            await().untilAsserted(() -> assertThat(value("active", "invoices")).isEqualTo(1));
            await().untilAsserted(() ->
                    assertThat(value("hold.longest", "orders")).isPositive().isLessThan(60));

            waiting.forEach(each -> each.cancel(true));
            await().untilAsserted(() -> assertThat(value("waiting", "orders") + value("waiting", "invoices"))
                    .isZero());
            for (Lease lease : List.of(order, read, invoice)) {
                lease.ensureHeld();
            }
        }

        await().untilAsserted(() -> assertThat(value("active", "orders")).isZero());
        await().untilAsserted(() -> assertThat(value("hold.longest", "orders")).isZero());
    }

    @Test
    void shouldSumTheNamesBeyondTheLimit() {
        for (int name = 1; name <= 203; name++) {
            this.listener.named("lock-" + name, LockMode.WRITE);
        }
        this.listener.setStatistics(new Statistics(visitor -> {
            visitor.accept("lock-1", TimeUnit.SECONDS.toNanos(7));
            visitor.accept("lock-1", TimeUnit.SECONDS.toNanos(5));
            visitor.accept("lock-201", TimeUnit.SECONDS.toNanos(1));
            visitor.accept("lock-202", TimeUnit.SECONDS.toNanos(9));
            visitor.accept("lock-203", TimeUnit.SECONDS.toNanos(3));
        }));
        this.listener.waitBegan(LockRequest.of("lock-202"));
        this.listener.waitBegan(LockRequest.of("lock-203"));

        assertThat(gauges("active")).hasSize(201);
        assertThat(value("active", "lock-1")).isEqualTo(2);
        assertThat(value("hold.longest", "lock-1")).isCloseTo(7, within(1e-6));
        assertThat(value("active", "lock-2")).isZero();
        assertThat(value("active", "other")).isEqualTo(3);
        assertThat(value("hold.longest", "other")).isCloseTo(9, within(1e-6));
        assertThat(value("waiting", "other")).isEqualTo(2);
    }

    private double value(String gauge, String lock) {
        return this.meters
                .get("distributed.lock." + gauge)
                .tag("lock", lock)
                .gauge()
                .value();
    }

    private List<Gauge> gauges(String gauge) {
        return List.copyOf(this.meters.get("distributed.lock." + gauge).gauges());
    }

    /** How often all leases are visited for the gauges. */
    @Nested
    class Visits {

        private long now = -17;

        private long passNanos;

        private int passes;

        private final HoldsByTag holds = new HoldsByTag(new LockTags("meters"), () -> this.now);

        Visits() {
            this.holds.setLeases(visitor -> {
                this.passes++;
                visitor.accept("orders", this.passes);
                this.now += this.passNanos;
            });
        }

        private void scrape() {
            for (int name = 0; name < 200; name++) {
                assertThat(this.holds.of("lock-" + name).count).isZero();
            }
        }

        @Test
        void shouldVisitTheLeasesOnceForAllGauges() {
            this.passNanos = Duration.ofMillis(20).toNanos();

            scrape();
            scrape();

            assertThat(this.passes).isEqualTo(1);
            assertThat(this.holds.of("orders").longestNanos).isEqualTo(1);
        }

        /** After a hundred times as long as the visit took, and a second at most. */
        @ParameterizedTest
        @CsvSource({"60000000000, 1000000000", "5000, 500000"})
        void shouldVisitThemAgainLater(long passNanos, long reuseNanos) {
            this.passNanos = passNanos;
            scrape();

            this.now += reuseNanos - 1;
            scrape();
            assertThat(this.passes).isEqualTo(1);
            this.now += 1;
            scrape();

            assertThat(this.passes).isEqualTo(2);
            assertThat(this.holds.of("orders").longestNanos).isEqualTo(2);
        }
    }
}
