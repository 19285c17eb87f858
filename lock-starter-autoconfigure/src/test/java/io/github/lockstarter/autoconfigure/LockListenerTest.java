package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

class LockListenerTest {

    private final ApplicationContextRunner inMemory =
            TestContexts.inMemory().withPropertyValues("distributed-lock.shutdown-timeout=0");

    @Test
    void shouldCallListenersInOrder() {
        this.inMemory.withUserConfiguration(TwoListeners.class).run(context -> {
            context.getBean(LockRegistry.class).getLock("orders:42").lock();

            List<String> heard = context.getBean(Heard.class).events;
            await().untilAsserted(() -> assertThat(heard).containsExactly("first orders:42", "second orders:42"));
        });
    }

    @Test
    void shouldPublishALossAsApplicationEvent() {
        this.inMemory.withBean(Losses.class).run(context -> {
            context.getBean(LockRegistry.class).getLock("orders:42").lock(Duration.ofMillis(50));

            List<LockLostEvent> losses = context.getBean(Losses.class).events;
            await().untilAsserted(() -> assertThat(losses).singleElement().satisfies(event -> {
                assertThat(event.lockName()).isEqualTo("orders:42");
                assertThat(event.reason()).isEqualTo(LossReason.EXPIRED);
            }));
        });
    }

    @Test
    void shouldPublishLossesOfTheShutdown() {
        List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
        this.inMemory
                .withBean(Losses.class, () -> new Losses(losses))
                .run(context ->
                        context.getBean(LockRegistry.class).getLock("orders:42").lock());

        assertThat(losses).singleElement().extracting(LockLostEvent::reason).isEqualTo(LossReason.SHUTDOWN);
    }

    @Test
    void shouldPublishNothingWhenAnotherBeanTakesItsPlace() {
        this.inMemory
                .withBean("distributedLockEventPublisher", LockListener.class, () -> new LockListener() {})
                .withBean(Losses.class)
                .run(context -> assertThat(context).doesNotHaveBean(LockEventPublisher.class));
    }

    @Test
    void shouldCallTheMetersOnceAndInTheThreadOfTheEvent() {
        AtomicBoolean released = new AtomicBoolean();
        LockListener last = new LockListener() {
            @Override
            public void released(LockReleasedEvent event) {
                released.set(true);
            }
        };
        this.inMemory
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(LockListener.class, () -> last)
                .run(context -> {
                    LeaseLock lock = context.getBean(LockRegistry.class).getLock("orders:42");

                    assertThat(lock.tryLock()).isTrue();
                    assertThat(acquired(context)).isEqualTo(1);

                    lock.unlock();
                    // By then every listener has heard that it was acquired.
                    await().untilTrue(released);
                    assertThat(acquired(context)).isEqualTo(1);
                });
    }

    private static long acquired(ApplicationContext context) {
        return context.getBean(MeterRegistry.class)
                .get("distributed.lock.acquire")
                .tag("outcome", "acquired")
                .timer()
                .count();
    }

    static class Heard {

        final List<String> events = new CopyOnWriteArrayList<>();
    }

    static class Losses {

        final List<LockLostEvent> events;

        Losses() {
            this(new CopyOnWriteArrayList<>());
        }

        Losses(List<LockLostEvent> events) {
            this.events = events;
        }

        @EventListener
        void lost(LockLostEvent event) {
            this.events.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoListeners {

        @Bean
        Heard heard() {
            return new Heard();
        }

        @Bean
        @Order(2)
        LockListener later(Heard heard) {
            return listener("second", heard);
        }

        @Bean
        @Order(1)
        LockListener earlier(Heard heard) {
            return listener("first", heard);
        }

        private static LockListener listener(String who, Heard heard) {
            return new LockListener() {
                @Override
                public void acquired(LockAcquiredEvent event) {
                    heard.events.add(who + " " + event.lockName());
                }
            };
        }
    }
}
