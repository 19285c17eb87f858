package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.metrics.LockAcquisitionContext;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/**
 * A bean or an expression of the application that a lock calls does not return. All other locks go on: they are
 * renewed, granted and released, and their losses are reported.
 */
@Timeout(60)
class BlockedCallbackTest {

    private static final String NAME = "of-the-callback";

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final CountDownLatch end = new CountDownLatch(1);

    private final AtomicInteger blocked = new AtomicInteger();

    /** Whether the handler of observations blocks. */
    private volatile boolean isArmed;

    /** What does not return. */
    private enum Callback {
        EVENT_LISTENER,
        METER,
        OBSERVATION,
        OBSERVATION_OF_A_GRANT,
        OBSERVATION_OF_A_REFUSAL,
        KEY,
        CONDITION,
        FAILURE_HANDLER
    }

    @AfterEach
    void unblock() {
        this.end.countDown();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotDelayOtherLocks(Callback callback) {
        application(callback).run(context -> {
            LockRegistry registry = context.getBean(LockRegistry.class);
            Lease renewed = registry.acquire(LockRequest.of("renewed"));
            Lease lost = registry.acquire(LockRequest.of("lost"));
            Lease before = registry.acquire(LockRequest.of("passed-on"));
            CompletableFuture<Lease> waiting =
                    registry.acquireAsync(LockRequest.of("passed-on")).toCompletableFuture();

            block(callback, context);
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(this.blocked)
                            .as("blocked callbacks, %s", callback)
                            .hasValueGreaterThan(0));

            awaitRenewal(renewed);
            awaitRenewal(renewed);
            registry.getLock("lost").forceUnlock();
            assertThat(lost.lost().toCompletableFuture())
                    .as("loss of another lock")
                    .succeedsWithin(LIMIT)
                    .isEqualTo(LossReason.REVOKED);
            before.release();
            assertThat(waiting).as("grant of another lock").succeedsWithin(LIMIT);
            assertThat(waiting.join().release()).as("release of that grant").isTrue();
            assertThat(renewed.release()).as("release of the renewed lease").isTrue();
            this.end.countDown();
        });
    }

    private ApplicationContextRunner application(Callback callback) {
        ApplicationContextRunner application = TestContexts.inMemory()
                .withPropertyValues(
                        "distributed-lock.watchdog.timeout=12s",
                        "distributed-lock.watchdog.renew-interval=100ms",
                        "distributed-lock.redis.poll-interval=100ms",
                        "distributed-lock.shutdown-timeout=0")
                .withBean(Orders.class);
        return switch (callback) {
            case EVENT_LISTENER -> application.withBean(Losses.class, () -> new Losses(this::block));
            case METER -> application.withBean(MeterRegistry.class, BlockingMeters::new);
            case OBSERVATION, OBSERVATION_OF_A_GRANT, OBSERVATION_OF_A_REFUSAL ->
                application.withBean(ObservationRegistry.class, this::observations);
            case FAILURE_HANDLER ->
                application.withBean(LockFailureHandler.class, () -> (failure, method, arguments) -> {
                    block();
                    return null;
                });
            case KEY, CONDITION -> application;
        };
    }

    private void block(Callback callback, ApplicationContext context) throws InterruptedException {
        LockRegistry registry = context.getBean(LockRegistry.class);
        Orders orders = context.getBean(Orders.class);
        LockRequest request = LockRequest.of(NAME);
        switch (callback) {
            case EVENT_LISTENER -> {
                Lease unused = registry.acquire(request);
                registry.getLock(NAME).forceUnlock();
            }
            case METER, OBSERVATION -> {
                this.isArmed = true;
                inThread(() -> registry.getLock(NAME).tryLock());
            }
            case OBSERVATION_OF_A_GRANT -> {
                // Not by a release, which would bring the grant on its own thread, and not before the next one waits.
                Lease unused = registry.acquire(request.withLease(Duration.ofSeconds(3)));
                this.isArmed = true;
                CompletionStage<Lease> unusedToo = registry.acquireAsync(request);
            }
            case OBSERVATION_OF_A_REFUSAL -> {
                Lease unused = registry.acquire(request);
                this.isArmed = true;
                CompletionStage<Lease> unusedToo = registry.acquireAsync(request.withWaitTime(Duration.ofMillis(50)));
            }
            case KEY -> inThread(() -> orders.keyed(this::blockingText));
            case CONDITION -> inThread(() -> orders.conditional(this::blockingText));
            case FAILURE_HANDLER -> {
                Lease unused = registry.acquire(request);
                inThread(orders::refused);
            }
        }
    }

    private static void inThread(Runnable call) {
        Thread thread = new Thread(() -> Assertions.catchThrowable(call::run), "caller");
        thread.setDaemon(true);
        thread.start();
    }

    private void block() {
        this.blocked.incrementAndGet();
        try {
            this.end.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private String blockingText() {
        block();
        return "any";
    }

    /** Without a renewal, the time that is left only becomes less. */
    private static void awaitRenewal(Lease lease) {
        Duration[] left = {lease.remaining()};
        await().atMost(LIMIT).pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
            Duration before = left[0];
            left[0] = lease.remaining();
            assertThat(left[0]).as("lease of another lock after its renewal").isGreaterThan(before);
        });
    }

    private ObservationRegistry observations() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<LockAcquisitionContext>() {

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context instanceof LockAcquisitionContext;
            }

            @Override
            public void onStop(LockAcquisitionContext context) {
                if (BlockedCallbackTest.this.isArmed && context.getLock().equals(NAME)) {
                    block();
                }
            }
        });
        return registry;
    }

    /** Meters of an application whose timer of one lock blocks. */
    private final class BlockingMeters extends SimpleMeterRegistry {

        @Override
        protected Timer newTimer(Meter.Id id, DistributionStatisticConfig statistics, PauseDetector pauses) {
            return new CumulativeTimer(id, this.clock, statistics, pauses, getBaseTimeUnit()) {

                @Override
                protected void recordNonNegative(long amount, TimeUnit unit) {
                    if (NAME.equals(id.getTag("lock"))) {
                        block();
                    }
                    super.recordNonNegative(amount, unit);
                }
            };
        }
    }

    record Losses(Runnable block) {

        @EventListener
        void lost(LockLostEvent event) {
            if (event.name().equals(NAME)) {
                this.block.run();
            }
        }
    }

    static class Orders {

        @DistributedLock(name = "keyed", key = "#text.get()")
        public void keyed(Supplier<String> text) {}

        @DistributedLock(name = "conditional", condition = "#text.get() == 'any'")
        public void conditional(Supplier<String> text) {}

        @DistributedLock(name = NAME, waitTime = 0)
        public void refused() {}
    }
}
