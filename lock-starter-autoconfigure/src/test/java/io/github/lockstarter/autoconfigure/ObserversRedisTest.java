package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** What an application sees of its locks. */
@RedisTest
class ObserversRedisTest {

    /** With a command timeout this short, a cold client may need more than one attempt to connect. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final RedisServer redis;

    private final ApplicationContextRunner application;

    ObserversRedisTest(RedisServer redis) {
        this.redis = redis;
        this.application = TestContexts.application(redis)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(Heard.class)
                .withPropertyValues(
                        "distributed-lock.watchdog.timeout=3s",
                        "distributed-lock.watchdog.renew-interval=300ms",
                        "distributed-lock.shutdown-timeout=0",
                        "management.defaults.metrics.export.enabled=false");
    }

    @Test
    void shouldCountRenewals() {
        this.application.run(context -> {
            LeaseLock lock = context.getBean(LockRegistry.class).getLock("orders:42");
            MeterRegistry meters = context.getBean(MeterRegistry.class);

            assertThat(lock.tryLock(PATIENCE)).isTrue();

            await().untilAsserted(() -> assertThat(active(meters)).isEqualTo(1));
            await().untilAsserted(() -> assertThat(meters.find("distributed.lock.renewal")
                            .tags("lock", "orders", "outcome", "renewed")
                            .timers())
                    .singleElement()
                    .satisfies(timer -> assertThat(timer.count()).isGreaterThanOrEqualTo(2)));
            lock.unlock();
            assertThat(meters.get("distributed.lock.hold").timer().count()).isEqualTo(1);
            await().untilAsserted(() -> assertThat(active(meters)).isZero());
        });
    }

    private static double active(MeterRegistry meters) {
        return meters.get("distributed.lock.active")
                .tag("lock", "orders")
                .gauge()
                .value();
    }

    @Test
    void shouldHearOfRiskAndLossWhenRedisFallsSilent() {
        this.application.run(context -> {
            List<LockEvent> events = context.getBean(Heard.class).events;
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(context.getBean(LockRegistry.class).getLock("orders:42").tryLock(PATIENCE))
                    .isTrue();

            this.redis.pause();

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(events)
                            .last()
                            .isInstanceOfSatisfying(LockLostEvent.class, event -> {
                                assertThat(event.lockName()).isEqualTo("orders:42");
                                assertThat(event.reason()).isEqualTo(LossReason.EXPIRED);
                            }));
            this.redis.resume();
            assertThat(events).first().isInstanceOf(LockAtRiskEvent.class);
            assertThat(meters.get("distributed.lock.lost")
                            .tags("lock", "orders", "reason", "expired")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("distributed.lock.renewal")
                            .tags("lock", "orders", "outcome", "failed")
                            .timer()
                            .count())
                    .isPositive();
        });
    }

    static class Heard {

        final List<LockEvent> events = new CopyOnWriteArrayList<>();

        @EventListener
        void atRisk(LockAtRiskEvent event) {
            this.events.add(event);
        }

        @EventListener
        void lost(LockLostEvent event) {
            this.events.add(event);
        }
    }
}
