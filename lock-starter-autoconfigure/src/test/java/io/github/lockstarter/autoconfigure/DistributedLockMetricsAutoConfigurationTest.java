package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.metrics.LockGauges;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

@ExtendWith(OutputCaptureExtension.class)
class DistributedLockMetricsAutoConfigurationTest {

    private final ApplicationContextRunner inMemory = TestContexts.inMemory();

    private final ApplicationContextRunner application = TestContexts.application()
            .withPropertyValues("distributed-lock.store=memory", "management.defaults.metrics.export.enabled=false");

    @Test
    void shouldRecordInTheMeterRegistryOfTheApplication() {
        this.application.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            lockOnce(context);

            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("distributed.lock.acquire")
                            .tags("lock", "orders", "outcome", "acquired")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("distributed.lock.hold")
                            .tag("lock", "orders")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("distributed.lock.release")
                            .tags("lock", "orders", "outcome", "released")
                            .counter()
                            .count())
                    .isEqualTo(1);
            try (Lease lease = context.getBean(LockRegistry.class).acquire(LockRequest.of("orders", "42"))) {
                await().untilAsserted(() -> assertThat(meters.get("distributed.lock.active")
                                .tag("lock", "orders")
                                .gauge()
                                .value())
                        .isEqualTo(1));
                await().untilAsserted(() -> assertThat(meters.get("distributed.lock.hold.longest")
                                .tag("lock", "orders")
                                .timeGauge()
                                .value())
                        .isPositive());
                lease.ensureHeld();
            }
            assertThat(meters.find("distributed.lock.waiting")
                            .tag("lock", "orders")
                            .gauge())
                    .isNotNull();
            assertThat(meters.find("distributed.lock.watchdog.lag").timeGauge()).isNotNull();
            assertThat(meters.find("distributed.lock.events.dropped").functionCounter())
                    .isNotNull();
        });
    }

    @Test
    void shouldRecordInAMeterRegistryThatComesLater() {
        this.inMemory
                .withConfiguration(AutoConfigurations.of(LateMetersAutoConfiguration.class))
                .run(context -> {
                    lockOnce(context);

                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("distributed.lock.acquire")
                                    .tag("outcome", "acquired")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void shouldShowZerosForAnnotatedMethodsBeforeTheyAreCalled() {
        this.inMemory
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(Invoices.class)
                .withBean(Orders.class, Orders::new, bean -> bean.setLazyInit(true))
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("distributed.lock.lost")
                                    .tag("lock", "Invoices.print")
                                    .counters())
                            .hasSize(LossReason.values().length)
                            .allSatisfy(counter -> assertThat(counter.count()).isZero());
                    assertThat(meters.find("distributed.lock.lost")
                                    .tag("lock", "Orders.ship")
                                    .counters())
                            .isEmpty();

                    context.getBean(Orders.class);

                    assertThat(meters.get("distributed.lock.renewal")
                                    .tags("lock", "Orders.ship", "outcome", "failed")
                                    .timer()
                                    .count())
                            .isZero();
                });
    }

    @Test
    void shouldCountCallsThatSkipApartFromTimeouts() {
        this.inMemory
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(Reports.class)
                .run(context -> {
                    Reports reports = context.getBean(Reports.class);
                    try (Lease lease = context.getBean(LockRegistry.class).acquire(LockRequest.of("reports"))) {
                        reports.scheduled();
                        reports.skipped();
                        assertThat(reports.skippedLater()).isCompletedWithValue(null);
                        assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(reports::refused);
                        assertThat(reports.replaced()).isEqualTo("fallback");
                        lease.ensureHeld();
                    }

                    assertThat(acquisitions(context, "skipped"))
                            .as("annotations with SKIP")
                            .isEqualTo(3);
                    assertThat(acquisitions(context, "timeout"))
                            .as("calls that fail or use their fallback")
                            .isEqualTo(2);
                });
    }

    private static long acquisitions(ApplicationContext context, String outcome) {
        return context.getBean(MeterRegistry.class)
                .get("distributed.lock.acquire")
                .tags("lock", "reports", "outcome", outcome)
                .timer()
                .count();
    }

    @Test
    void shouldHaveNoMetersWithoutAMeterRegistry() {
        this.inMemory.withBean(Invoices.class).run(context -> {
            lockOnce(context);
            assertThat(context.getBeanProvider(MicrometerLockListener.class).getIfAvailable())
                    .isNull();
        });
    }

    @Test
    void shouldHaveNoMetersWithoutMicrometer() {
        this.inMemory.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            lockOnce(context);
            assertThat(context).doesNotHaveBean("distributedLockMeters").doesNotHaveBean("distributedLockGauges");
        });
    }

    @Test
    void shouldHaveNoMetersWhenTheyAreSwitchedOff() {
        this.inMemory
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("distributed-lock.metrics.enabled=false")
                .run(context -> {
                    lockOnce(context);
                    assertThat(context)
                            .doesNotHaveBean(MicrometerLockListener.class)
                            .doesNotHaveBean(LockGauges.class);
                    assertThat(context.getBean(MeterRegistry.class).getMeters()).isEmpty();
                });
    }

    @Test
    void shouldBackOffForOwnMeters() {
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        this.inMemory
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("ownMeters", MicrometerLockListener.class, () -> new MicrometerLockListener(own))
                .withBean("ownGauges", LockGauges.class, () -> new LockGauges(null))
                .run(context -> assertThat(context)
                        .hasSingleBean(MicrometerLockListener.class)
                        .hasSingleBean(LockGauges.class)
                        .doesNotHaveBean("distributedLockMeters")
                        .doesNotHaveBean("distributedLockGauges"));
    }

    @Test
    void shouldSayWhyThereAreNoMetersWhenNoMeterRegistryIsPrimary(CapturedOutput output) {
        this.inMemory
                .withBean("first", MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("second", MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    lockOnce(context);
                    assertThat(output.getOut().lines())
                            .anyMatch(line -> line.contains("WARN") && line.contains("MeterRegistry"));
                });
    }

    @Test
    void shouldHaveReadableNamesInPrometheus() {
        this.application
                .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                .run(context -> {
                    lockOnce(context);

                    assertThat(context.getBean(PrometheusMeterRegistry.class).scrape())
                            .contains("distributed_lock_acquire_seconds_count{lock=\"orders\",mode=\"write\","
                                    + "outcome=\"acquired\"} 1")
                            .contains("distributed_lock_hold_seconds_count{lock=\"orders\",mode=\"write\"} 1")
                            .contains("distributed_lock_release_total{lock=\"orders\",mode=\"write\","
                                    + "outcome=\"released\"} 1.0")
                            .contains("distributed_lock_active{lock=\"orders\"} 0.0")
                            .contains("distributed_lock_waiting{lock=\"orders\"} 0.0")
                            .contains("distributed_lock_hold_longest_seconds{lock=\"orders\"} 0.0")
                            .contains("distributed_lock_watchdog_lag_seconds 0.0")
                            .contains("distributed_lock_events_dropped_total 0.0");
                });
    }

    /** Series of one name with other keys are dropped by Prometheus. */
    @Test
    void shouldShowAllModesInPrometheus() {
        this.application
                .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                .run(context -> {
                    LockRegistry registry = context.getBean(LockRegistry.class);
                    lockOnce(context);
                    registry.acquire(LockRequest.of("orders:42").withMode(LockMode.READ))
                            .release();
                    registry.acquire(LockRequest.of("exports").withPermits(1, 2))
                            .release();

                    assertThat(context.getBean(PrometheusMeterRegistry.class).scrape())
                            .contains("distributed_lock_hold_seconds_count{lock=\"orders\",mode=\"write\"} 1")
                            .contains("distributed_lock_hold_seconds_count{lock=\"orders\",mode=\"read\"} 1")
                            .contains("distributed_lock_hold_seconds_count{lock=\"exports\",mode=\"permit\"} 1");
                });
    }

    private static void lockOnce(ApplicationContext context) throws Exception {
        LockRegistry registry = context.getBean(LockRegistry.class);
        assertThat(registry.getLock("orders:42").tryLock()).isTrue();
        registry.getLock("orders:42").unlock();
    }

    static class Invoices {

        @DistributedLock
        public void print() {}
    }

    static class Orders {

        @DistributedLock
        public void ship() {}
    }

    static class Reports {

        @ScheduledLock(name = "reports", minHold = "1s")
        public void scheduled() {
            throw new AssertionError("not skipped");
        }

        @DistributedLock(name = "reports", waitTime = 1, onNotGranted = OnNotGranted.SKIP)
        public void skipped() {
            throw new AssertionError("not skipped");
        }

        @DistributedLock(name = "reports", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public CompletableFuture<String> skippedLater() {
            throw new AssertionError("not skipped");
        }

        @DistributedLock(name = "reports", waitTime = 0)
        public void refused() {
            throw new AssertionError("not refused");
        }

        @DistributedLock(name = "reports", waitTime = 0, fallback = "fallback")
        public String replaced() {
            throw new AssertionError("not replaced");
        }

        String fallback() {
            return "fallback";
        }
    }

    @AutoConfiguration(after = DistributedLockMetricsAutoConfiguration.class)
    static class LateMetersAutoConfiguration {

        @Bean
        MeterRegistry lateMeters() {
            return new SimpleMeterRegistry();
        }
    }
}
