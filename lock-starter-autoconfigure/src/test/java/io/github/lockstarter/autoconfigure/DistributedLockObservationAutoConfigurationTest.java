package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.metrics.AcquisitionObservations;
import io.github.lockstarter.metrics.LockAcquisitionContext;
import io.github.lockstarter.metrics.LockAcquisitionConvention;
import io.github.lockstarter.registry.AcquireObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** Where observations of locks go, and how to have others or none. */
@ExtendWith(OutputCaptureExtension.class)
class DistributedLockObservationAutoConfigurationTest {

    private final Names names = new Names();

    private final ApplicationContextRunner inMemory = TestContexts.inMemory();

    private final ApplicationContextRunner application = TestContexts.application()
            .withPropertyValues("distributed-lock.store=memory", "management.defaults.metrics.export.enabled=false")
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new);

    private final ApplicationContextRunner observed =
            this.inMemory.withBean(ObservationRegistry.class, this::observations);

    @Test
    void shouldNotifyHandlersButTimeEachAcquisitionOnce() {
        this.application.withBean(Names.class, () -> this.names).run(context -> {
            lockOnce(context);

            assertThat(this.names.heard).containsExactly("acquire orders");
            assertThat(acquired(context, "distributed.lock.acquire")).isOne();
            assertThat(acquired(context, "distributed.lock.acquisition")).isZero();
        });
    }

    @Test
    void shouldLeaveTheTimerToTheObservationWithoutMetersOfOurs() {
        this.application
                .withPropertyValues("distributed-lock.metrics.enabled=false")
                .withBean(Names.class, () -> this.names)
                .run(context -> {
                    lockOnce(context);

                    assertThat(this.names.heard).containsExactly("acquire orders");
                    assertThat(acquired(context, "distributed.lock.acquire")).isZero();
                    assertThat(acquired(context, "distributed.lock.acquisition"))
                            .isOne();
                });
    }

    /** Spring Boot's actuator would add a primary one. */
    @Test
    void shouldLeaveTheTimerToTheObservationIfNoMeterRegistryIsPrimary() {
        this.inMemory
                .withBean("first", MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("second", MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context.getBeanProvider(MeterObservationHandler.class)
                                .orderedStream())
                        .isEmpty());
        this.inMemory
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context.getBeanProvider(MeterObservationHandler.class)
                                .orderedStream())
                        .hasSize(1));
    }

    @Test
    void shouldObserveNothingForMetersAlone() {
        this.application.run(context -> {
            lockOnce(context);

            assertThat(context.getBeanNamesForType(ObservationHandler.class)).isNotEmpty();
            assertThat(context.getBeanProvider(AcquireObserver.class).getIfAvailable())
                    .isNull();
            assertThat(acquired(context, "distributed.lock.acquire")).isOne();
        });
    }

    @Test
    void shouldObserveForHandlersThatAreNoBeansIfConfigured() {
        this.application
                .withPropertyValues("distributed-lock.observation.enabled=true")
                .run(context -> {
                    context.getBean(ObservationRegistry.class)
                            .observationConfig()
                            .observationHandler(this.names);
                    lockOnce(context);

                    assertThat(this.names.heard).containsExactly("acquire orders");
                });
    }

    @Test
    void shouldObserveNothingWhenToldSo() {
        this.observed
                .withPropertyValues("distributed-lock.observation.enabled=false")
                .run(context -> {
                    lockOnce(context);
                    assertThat(context).doesNotHaveBean(AcquireObserver.class);
                    assertThat(this.names.heard).isEmpty();
                });
    }

    @Test
    void shouldObserveNothingForNobody() {
        this.inMemory.run(context -> {
            lockOnce(context);
            assertThat(context.getBeanProvider(AcquireObserver.class).getIfAvailable())
                    .isNull();
        });
        this.inMemory.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            lockOnce(context);
            assertThat(context).doesNotHaveBean("distributedLockObservations");
        });
    }

    @Test
    void shouldSayWhyNothingIsObservedWhenNoRegistryIsPrimary(CapturedOutput output) {
        this.observed
                .withBean("second", ObservationRegistry.class, this::observations)
                .run(context -> {
                    lockOnce(context);
                    assertThat(this.names.heard).isEmpty();
                    assertThat(output.getOut().lines())
                            .anyMatch(line -> line.contains("WARN") && line.contains("ObservationRegistry"));
                });
    }

    @Test
    void shouldNotWarnOfSeveralRegistriesWithoutHandlers(CapturedOutput output) {
        this.inMemory
                .withBean("first", ObservationRegistry.class, ObservationRegistry::create)
                .withBean("second", ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> {
                    lockOnce(context);
                    assertThat(context.getBeanProvider(AcquireObserver.class).getIfAvailable())
                            .isNull();
                    assertThat(output).doesNotContain("ObservationRegistry");
                });
    }

    @Test
    void shouldCallThemAsTheApplicationLikes() {
        this.observed
                .withBean(LockAcquisitionConvention.class, () -> new LockAcquisitionConvention() {
                    @Override
                    public String getContextualName(LockAcquisitionContext context) {
                        return context.getLock() + '#' + context.getKey();
                    }
                })
                .run(context -> {
                    lockOnce(context);
                    assertThat(this.names.heard).containsExactly("orders#42");
                });
    }

    @Test
    void shouldBackOffForAnotherObserver() {
        this.observed
                .withBean("own", AcquireObserver.class, () -> AcquireObserver.NONE)
                .run(context -> {
                    lockOnce(context);
                    assertThat(context).doesNotHaveBean(AcquisitionObservations.class);
                    assertThat(this.names.heard).isEmpty();
                });
    }

    private static long acquired(ApplicationContext context, String timer) {
        return context
                .getBean(MeterRegistry.class)
                .find(timer)
                .tags("lock", "orders", "outcome", "acquired")
                .timers()
                .stream()
                .mapToLong(Timer::count)
                .sum();
    }

    private ObservationRegistry observations() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(this.names);
        return registry;
    }

    private static void lockOnce(ApplicationContext context) {
        LockRegistry registry = context.getBean(LockRegistry.class);
        assertThat(registry.getLock("orders:42").tryLock()).isTrue();
        registry.getLock("orders:42").unlock();
    }

    /** What a trace would show. */
    static final class Names implements ObservationHandler<LockAcquisitionContext> {

        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockAcquisitionContext;
        }

        @Override
        public void onStop(LockAcquisitionContext context) {
            this.heard.add(context.getContextualName());
        }
    }
}
