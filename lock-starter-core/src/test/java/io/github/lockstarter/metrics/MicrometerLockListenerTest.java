package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.testsupport.LogCapture;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class MicrometerLockListenerTest {

    private static final Duration TIME = Duration.ofMillis(20);

    @AutoClose
    private final LogCapture log = new LogCapture(LockTags.class, Level.WARN);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final MicrometerLockListener listener = new MicrometerLockListener(this.registry);

    @Test
    void shouldTimeAndCountEachEvent() {
        everyEvent("orders");

        for (String outcome : List.of("acquired", "timeout", "skipped", "queue_full", "interrupted", "error")) {
            assertTimed("distributed.lock.acquire", "lock", "orders", "outcome", outcome);
        }
        for (String outcome : List.of("renewed", "failed", "lost")) {
            assertTimed("distributed.lock.renewal", "lock", "orders", "outcome", outcome);
        }
        for (LossReason reason : LossReason.values()) {
            String tag = reason.name().toLowerCase(Locale.ROOT);
            assertThat(count("distributed.lock.lost", "lock", "orders", "reason", tag))
                    .isEqualTo(1);
        }
        for (String outcome : List.of("released", "error", "lost")) {
            assertThat(count("distributed.lock.release", "lock", "orders", "outcome", outcome))
                    .isEqualTo(1);
        }
        assertThat(count("distributed.lock.release.requested", "lock", "orders"))
                .isEqualTo(1);
        assertThat(this.registry.get("distributed.lock.hold").timer().count())
                .as("each lost lease, and those that were released or whose release failed")
                .isEqualTo(LossReason.values().length + 2);
        for (String kind : List.of("local", "remote")) {
            assertThat(count("distributed.lock.handoff", "lock", "orders", "kind", kind))
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldDescribeEveryMeterAndNeverTagWithTheKey() {
        everyEvent("orders");

        assertThat(this.registry.getMeters()).isNotEmpty().allSatisfy(meter -> {
            Meter.Id id = meter.getId();
            assertThat(id.getDescription()).as(id.getName()).isNotBlank();
            assertThat(id.getBaseUnit())
                    .as(id.getName())
                    .isEqualTo(id.getType() == Meter.Type.TIMER || id.getName().endsWith("longest") ? "seconds" : null);
            assertThat(id.getTags()).extracting(tag -> tag.getValue()).doesNotContain("42");
        });
    }

    @Test
    void shouldRegisterTheGaugesOfANameOnceForAllModes() {
        try (LogCapture micrometer = new LogCapture("io.micrometer")) {
            for (LockMode mode : List.of(LockMode.READ, LockMode.PERMIT, LockMode.WRITE)) {
                this.listener.named("orders", mode);
            }

            assertThat(micrometer.all())
                    .as("warnings of gauges that are registered again")
                    .isEmpty();
        }
    }

    @Test
    void shouldShowZerosForANameBeforeAnythingHappens() {
        this.listener.named("orders", LockMode.WRITE);
        List<Meter.Id> atStart =
                this.registry.getMeters().stream().map(Meter::getId).toList();
        this.registry.forEachMeter(meter -> assertThat(meter.measure())
                .allSatisfy(measured -> assertThat(measured.getValue())
                        .as(meter.getId().toString())
                        .isZero()));

        everyEvent("orders");

        // Whatever can happen to a lock had its meter.
        assertThat(this.registry.getMeters()).extracting(Meter::getId).containsExactlyInAnyOrderElementsOf(atStart);
        assertThat(count("distributed.lock.lost", "lock", "orders", "reason", "expired"))
                .isEqualTo(1);
    }

    /** A loss whose counter appears with it is no increase. */
    @Test
    void shouldShowZerosForALockInCodeFromItsFirstUse() {
        this.listener.acquired(new LockAcquiredEvent(grant("orders", LockMode.WRITE), TIME));

        assertThat(this.registry.get("distributed.lock.lost").counters()).hasSize(LossReason.values().length);
        assertThat(this.registry
                        .get("distributed.lock.acquire")
                        .tag("outcome", "error")
                        .timer()
                        .count())
                .isZero();
        assertTimed("distributed.lock.acquire", "outcome", "acquired");
    }

    @Test
    void shouldRegisterTheOtherMetersIfAFilterFailsOnSome() {
        this.registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals("distributed.lock.active") || "error".equals(id.getTag("outcome"))) {
                    throw new IllegalStateException("on purpose");
                }
                return id;
            }
        });

        this.listener.named("orders", LockMode.WRITE);
        everyEvent("orders");

        assertThat(this.registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .contains("distributed.lock.waiting", "distributed.lock.acquire", "distributed.lock.hold")
                .doesNotContain("distributed.lock.active");
        assertThat(count("distributed.lock.handoff", "lock", "orders", "kind", "local"))
                .isEqualTo(1);
    }

    /** Prometheus drops series of one name whose tags have other keys. */
    @Test
    void shouldTagTheMetersOfALockWithTheMode() {
        for (LockMode mode : LockMode.values()) {
            everyEvent("orders", mode);
        }

        for (LockMode mode : LockMode.values()) {
            String tag = mode.name().toLowerCase(Locale.ROOT);
            assertTimed("distributed.lock.acquire", "lock", "orders", "mode", tag, "outcome", "acquired");
            assertThat(count("distributed.lock.handoff", "lock", "orders", "mode", tag, "kind", "local"))
                    .isEqualTo(1);
        }
        Map<String, Set<List<String>>> keys = this.registry.getMeters().stream()
                .map(Meter::getId)
                .collect(Collectors.groupingBy(
                        Meter.Id::getName,
                        Collectors.mapping(
                                id -> id.getTags().stream().map(Tag::getKey).toList(), Collectors.toSet())));
        // Those without a mode are the gauges of the name.
        assertThat(keys.keySet())
                .filteredOn(name -> keys.get(name).equals(Set.of(List.of("lock"))))
                .hasSize(3);
        keys.values().removeIf(of -> of.equals(Set.of(List.of("lock"))));
        assertThat(keys)
                .hasSize(7)
                .allSatisfy((name, of) -> assertThat(of)
                        .as(name)
                        .singleElement()
                        .satisfies(each -> assertThat(each).contains("lock", "mode")));
    }

    private static LockEvent.Grant grant(String name, LockMode mode) {
        LockRequest request = LockRequest.of(name, "42");
        return new LockEvent.Grant(
                mode == LockMode.PERMIT ? request.withPermits(1, 2) : request.withMode(mode), 1, "id");
    }

    @Test
    void shouldTagTwoHundredNamesAndWarnOnceOfTheRest() {
        for (int name = 1; name <= 200; name++) {
            acquired("lock-" + name);
        }
        assertThat(timers()).hasSize(200);
        assertThat(this.log.events()).isEmpty();

        acquired("1'\n2026-01-01 ERROR forged\u001b[2J\u2028\u202E");
        for (int name = 1; name <= 210; name++) {
            acquired("lock-" + name);
        }

        assertThat(timers()).hasSize(201);
        assertThat(timer("lock-200").count()).isEqualTo(2);
        assertThat(timer("other").count()).isEqualTo(11);
        assertThat(this.log.events()).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains("200", "'1'\\u000A2026-01-01 ERROR forged\\u001B[2J\\u2028\\u202E'", "lock=other");
        });
    }

    @Test
    void shouldKeepTheLimitAndEveryEventWhenThreadsRace() throws InterruptedException {
        int threads = 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int thread = 0; thread < threads; thread++) {
            pool.execute(() -> {
                for (int name = 1; name <= 1000; name++) {
                    acquired("lock-" + name);
                }
            });
        }
        pool.shutdown();
        assertThat(pool.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

        assertThat(timers()).hasSize(201);
        assertThat(timers().stream().mapToLong(Timer::count).sum()).isEqualTo(threads * 1000L);
        assertThat(this.log.events()).hasSize(1);
    }

    private void acquired(String name) {
        this.listener.acquired(new LockAcquiredEvent(grant(name, LockMode.WRITE), TIME));
    }

    private Timer timer(String lock) {
        return this.registry
                .get("distributed.lock.acquire")
                .tags("lock", lock, "outcome", "acquired")
                .timer();
    }

    private Collection<Timer> timers() {
        return this.registry
                .find("distributed.lock.acquire")
                .tag("outcome", "acquired")
                .timers();
    }

    private void everyEvent(String name) {
        everyEvent(name, LockMode.WRITE);
    }

    private void everyEvent(String name, LockMode mode) {
        this.listener.acquired(new LockAcquiredEvent(grant(name, mode), TIME));
        for (LockNotAcquiredEvent.Outcome outcome : LockNotAcquiredEvent.Outcome.values()) {
            this.listener.notAcquired(new LockNotAcquiredEvent(grant(name, mode).request(), outcome, TIME, null));
        }
        this.listener.renewed(new LockRenewedEvent(grant(name, mode), TIME));
        this.listener.renewalFailed(new LockRenewalFailedEvent(grant(name, mode), TIME, null, null));
        this.listener.renewalFailed(new LockRenewalFailedEvent(grant(name, mode), TIME, LossReason.DELETED, null));
        this.listener.releaseRequested(new LockReleaseRequestedEvent(grant(name, mode), TIME));
        for (LossReason reason : LossReason.values()) {
            this.listener.lost(new LockLostEvent(grant(name, mode), reason, TIME));
        }
        for (LockReleasedEvent.Outcome outcome : LockReleasedEvent.Outcome.values()) {
            this.listener.released(new LockReleasedEvent(grant(name, mode), outcome, TIME, null));
        }
        for (LockHandedOverEvent.Kind kind : LockHandedOverEvent.Kind.values()) {
            this.listener.handedOver(new LockHandedOverEvent(grant(name, mode), kind));
        }
    }

    private void assertTimed(String name, String... tags) {
        Timer timer = this.registry.get(name).tags(tags).timer();
        assertThat(timer.count()).isEqualTo(1);
        assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(20.0);
    }

    private double count(String name, String... tags) {
        return this.registry.get(name).tags(tags).counter().count();
    }
}
