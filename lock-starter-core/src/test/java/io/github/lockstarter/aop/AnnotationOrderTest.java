package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockNotGrantedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** The order of the lock and of other annotations on the same method, and how to change it. */
class AnnotationOrderTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void shouldAcquireEvenForACachedResult() {
        assertThat(eventsOfTwoCalls(processor -> {}, CachesInside.class))
                .containsExactly("lock price:a", "worked out", "unlock price:a", "lock price:a", "unlock price:a");
    }

    @Test
    void shouldNotAcquireForACachedResultIfConfigured() {
        List<String> once = List.of("lock price:a", "worked out", "unlock price:a");

        assertThat(eventsOfTwoCalls(processor -> {}, CachesOutside.class)).isEqualTo(once);
        assertThat(eventsOfTwoCalls(processor -> processor.setLockOrder(Integer.MAX_VALUE), CachesInside.class))
                .isEqualTo(once);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, Integer.MAX_VALUE})
    void shouldAcquireForEachAttemptWithAnyOrder(int order) {
        try (LockedContext context =
                LockedContext.with(processor -> processor.setLockOrder(order), ResilienceOutside.class, Flaky.class)) {
            context.getBean(Flaky.class).call(new Attempts());

            assertThat(context.registry.events)
                    .containsExactly("lock flaky:1", "unlock flaky:1", "lock flaky:2", "unlock flaky:2");
        }
    }

    @Test
    void shouldHoldOneLockForAllAttemptsIfConfigured() {
        try (LockedContext context = LockedContext.of(ResilienceInside.class, Flaky.class)) {
            context.getBean(Flaky.class).call(new Attempts());

            assertThat(context.registry.events).containsExactly("lock flaky:1", "unlock flaky:1");
        }
    }

    @Test
    void shouldRetryAcquisitionsUnlessExcluded() {
        Attempts retried = new Attempts();
        Attempts excluded = new Attempts();
        try (RealLocks locks = RealLocks.with(ResilienceOutside.class, Busy.class)) {
            Busy busy = locks.bean(Busy.class);

            locks.takenByAnother("busy:now", () -> {
                assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> busy.retry(retried));
                assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> busy.giveUp(excluded));
            });
        }
        assertThat(retried.count).hasValue(3);
        assertThat(excluded.count).hasValue(1);
    }

    @Test
    void shouldCountWaitingCallsTowardsTheConcurrencyLimit() {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (RealLocks locks = RealLocks.with(ResilienceOutside.class, Limited.class)) {
            Limited limited = locks.bean(Limited.class);
            locks.takenByAnother("Limited.call", () -> {
                CompletableFuture<Void> first = CompletableFuture.runAsync(limited::call, threads);
                await().atMost(LIMIT).until(() -> locks.registry.waiting() == 1);

                assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(limited::call);
                assertThat(first).isNotDone();
            });
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void shouldLimitCallsThatHoldTheLockIfConfigured() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (RealLocks locks = RealLocks.with(ResilienceInside.class, Limited.class)) {
            Limited limited = locks.bean(Limited.class);
            locks.takenByAnother("Limited.call", () -> {
                CompletableFuture<Void> first = CompletableFuture.runAsync(limited::call, threads);
                CompletableFuture<Void> second = CompletableFuture.runAsync(limited::call, threads);

                await().atMost(LIMIT).until(() -> locks.registry.waiting() == 2);
                assertThat(CompletableFuture.anyOf(first, second)).isNotDone();
            });
        } finally {
            threads.shutdown();
            assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static List<String> eventsOfTwoCalls(
            Consumer<DistributedLockBeanPostProcessor> settings, Class<?> caching) {
        try (LockedContext context = LockedContext.with(settings, caching, Prices.class)) {
            Prices prices = context.getBean(Prices.class);

            assertThat(prices.of("a")).isEqualTo("1 a");
            assertThat(prices.of("a")).isEqualTo("1 a");

            return context.registry.events;
        }
    }

    @EnableCaching(proxyTargetClass = true)
    @Import(ConcurrentMapCacheManager.class)
    static class CachesInside {}

    @EnableCaching(proxyTargetClass = true, order = 0)
    @Import(ConcurrentMapCacheManager.class)
    static class CachesOutside {}

    @EnableResilientMethods(proxyTargetClass = true)
    static class ResilienceOutside {}

    @EnableResilientMethods(proxyTargetClass = true, order = 0)
    static class ResilienceInside {}

    static class Prices {

        private final RecordingRegistry registry;

        private final AtomicInteger calls = new AtomicInteger();

        Prices(RecordingRegistry registry) {
            this.registry = registry;
        }

        @Cacheable("prices")
        @DistributedLock(name = "price", key = "#item")
        public String of(String item) {
            this.registry.events.add("worked out");
            return this.calls.incrementAndGet() + " " + item;
        }
    }

    /** Counts evaluations of a key, one for each acquisition. */
    static class Attempts {

        private final AtomicInteger count = new AtomicInteger();

        public int next() {
            return this.count.incrementAndGet();
        }

        public String nextOf(String key) {
            next();
            return key;
        }
    }

    static class Flaky {

        private final AtomicInteger calls = new AtomicInteger();

        @Retryable(delay = 1)
        @DistributedLock(name = "flaky", key = "#attempts.next()")
        public void call(Attempts attempts) {
            if (this.calls.incrementAndGet() == 1) {
                throw new IllegalStateException("once");
            }
        }
    }

    static class Busy {

        @Retryable(delay = 1, maxRetries = 2)
        @DistributedLock(name = "busy", key = "#attempts.nextOf('now')", waitTime = 0)
        public void retry(Attempts attempts) {}

        @Retryable(delay = 1, maxRetries = 2, excludes = LockNotGrantedException.class)
        @DistributedLock(name = "busy", key = "#attempts.nextOf('now')", waitTime = 0)
        public void giveUp(Attempts attempts) {}
    }

    static class Limited {

        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @DistributedLock
        public void call() {}
    }
}
