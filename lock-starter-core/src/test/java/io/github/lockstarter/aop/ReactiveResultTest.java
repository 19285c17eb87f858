package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockConditionException;
import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.OnNotGranted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** A method that returns a publisher holds its lock from the subscription until termination or cancellation. */
@Timeout(120)
class ReactiveResultTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @AutoClose
    private final LockedContext app = LockedContext.of(Feeds.class);

    private final Feeds feeds = this.app.getBean(Feeds.class);

    @Test
    void shouldAcquireOnSubscription() {
        Mono<Boolean> result = this.feeds.isLockedInside(this.app);
        assertThat(this.feeds.calls()).isZero();

        assertThat(result.block(SOON)).isTrue();
        assertThat(result.block(SOON)).as("once more").isTrue();

        assertThat(this.feeds.calls()).isEqualTo(2);
        assertThat(this.app.isLocked("feed")).isFalse();
    }

    @Test
    void shouldReleaseAtTheEndOfAFlux() {
        assertThat(this.feeds.several().collectList().block(SOON)).containsExactly(1, 2, 3);

        assertThat(this.app.isLocked("feed")).isFalse();
    }

    @Test
    void shouldReleaseWhenItFails() {
        assertThatThrownBy(() -> this.feeds.failing().block(SOON)).hasMessage("on purpose");

        assertThat(this.app.isLocked("feed")).isFalse();
    }

    @Test
    void shouldReleaseWhenItIsCancelled() {
        Disposable subscription = this.feeds.endless().subscribe();
        await().until(() -> this.app.isLocked("feed"));

        subscription.dispose();

        await().until(() -> !this.app.isLocked("feed"));
    }

    @Test
    void shouldExposeItsLease() {
        assertThat(this.feeds.token().block(SOON)).isPositive();
        assertThat(this.feeds.tokenOfContext().block(SOON)).isPositive();
    }

    @Test
    void shouldReportALossOnCompletion() {
        Sinks.One<String> work = this.feeds.work();
        CompletableFuture<String> result = this.feeds.working().toFuture();
        await().until(() -> this.app.isLocked("feed"));
        this.app.registry.getLock("feed").forceUnlock();
        await().until(() -> this.app.registry.active() == 0);

        work.tryEmitValue("done");

        assertThat(result).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockLostException.class);
    }

    @Test
    void shouldReportThatTheLockIsNotGranted() {
        this.app.takenByAnother("feed", () -> {
            assertThatThrownBy(() -> this.feeds.impatient().block(SOON)).isInstanceOf(LockNotGrantedException.class);
            assertThat(this.feeds.skipped().blockOptional(SOON)).isEmpty();
            assertThat(this.feeds.withFallback().block(SOON)).isEqualTo("instead");
        });
    }

    /**
     * The refusal of a lock inside the method is its failure: the method has run, so that nothing replaces its result.
     */
    @Test
    void shouldReportARefusalOfItsBody() {
        LockNotGrantedException inner =
                new LockNotGrantedException("of the body", "inner", Duration.ZERO, Duration.ZERO, null);

        assertThat(catchThrowable(() -> this.feeds.skipped(inner).blockOptional(SOON)))
                .as("refusal of the body of a method that is skipped without its lock")
                .isSameAs(inner);
        assertThat(catchThrowable(() -> this.feeds.withFallback(inner).block(SOON)))
                .as("refusal of the body of a method with a fallback")
                .isSameAs(inner);
        assertThat(this.app.isLocked("feed")).as("lock after the refusals").isFalse();
    }

    @Test
    void shouldReportALossSuppressedInItsError() {
        assertThatThrownBy(() -> this.feeds.losing(this.app).block(SOON))
                .hasMessage("on purpose")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .anySatisfy(loss -> assertThat(loss).isInstanceOf(LockLostException.class)));
    }

    @Test
    void shouldReleaseEvenIfAllThreadsOfTheApplicationAreBlocked() throws Exception {
        CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        CountDownLatch ended = new CountDownLatch(Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
        Disposable subscription = this.feeds.endless().subscribe();
        await().until(() -> this.app.isLocked("feed"));
        try {
            for (int i = 0; i < Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE; i++) {
                Schedulers.boundedElastic().schedule(() -> {
                    mayEnd.join();
                    ended.countDown();
                });
            }

            subscription.dispose();

            await().until(() -> !this.app.isLocked("feed"));
        } finally {
            mayEnd.complete(null);
        }
        assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldStopWaitingWhenItIsCancelled() {
        this.app.takenByAnother("feed", () -> {
            Disposable subscription = this.feeds.patient().subscribe();
            await().until(() -> this.app.registry.waiting() == 1);

            subscription.dispose();

            await().atMost(SOON).until(() -> this.app.registry.waiting() == 0);
        });
    }

    @Test
    void shouldLeaveNothingBehindIfCancelledAtAnyTime() {
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            Disposable subscription = this.feeds.counted().subscribe();
            for (int spins = random.nextInt(3000); spins > 0; spins--) {
                Thread.onSpinWait();
            }
            subscription.dispose();
        }

        await().until(() -> this.app.registry.active() == 0 && this.app.registry.waiting() == 0);
        assertThat(this.app.isLocked("feed")).isFalse();
    }

    @Test
    void shouldEvaluateItsConditionAndThenItsKeyAtEachSubscription() {
        Mono<String> lock = this.feeds.ifWanted("42");
        assertThat(this.feeds.asked()).as("before").hasValue(0);

        assertThat(lock.block(SOON)).isEqualTo("none");
        this.feeds.want(true);
        assertThat(lock.block(SOON)).isEqualTo("feed:42-2");
        assertThat(lock.block(SOON)).isEqualTo("feed:42-3");
        assertThatThrownBy(() -> this.feeds.ifWanted(null).block(SOON))
                .isInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"#id + '-' + #root.target.asked()\" of ");
        this.feeds.want(false);
        assertThat(this.feeds.ifWanted(null).block(SOON)).isEqualTo("none");

        assertThat(this.feeds.asked()).hasValue(5);
        assertThat(this.app.isLocked("feed:42-3")).isFalse();
    }

    @Test
    void shouldFailTheSubscriptionIfItsConditionIsNeitherTrueNorFalse() {
        this.feeds.want(null);

        assertThatThrownBy(() -> this.feeds.ifWanted("42").block(SOON))
                .isInstanceOf(InvalidLockConditionException.class);
        assertThat(this.feeds.calls()).isZero();
    }

    @Test
    void shouldNotBlockAThreadWhileItWaits() {
        int threads = Thread.activeCount() + 20;
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        this.app.takenByAnother("feed", () -> {
            for (int i = 0; i < 1000; i++) {
                results.add(this.feeds.counted().toFuture());
            }
            assertThat(this.app.registry.waiting()).isEqualTo(1000);
            assertThat(Thread.activeCount()).isLessThan(threads);
        });

        assertThat(CompletableFuture.allOf(results.toArray(CompletableFuture[]::new)))
                .succeedsWithin(Duration.ofSeconds(60));
        assertThat(this.feeds.count()).isEqualTo(1000);
        await().until(() -> !this.app.isLocked("feed"));
    }

    static class Feeds {

        @DistributedLock(name = "feed", onNotGranted = OnNotGranted.SKIP)
        public Mono<String> skipped(LockNotGrantedException failure) {
            return Mono.error(failure);
        }

        @DistributedLock(name = "feed", fallback = "insteadOf")
        public Mono<String> withFallback(LockNotGrantedException failure) {
            return Mono.error(failure);
        }

        Mono<String> insteadOf(LockNotGrantedException failure) {
            return Mono.just("instead");
        }

        private final AtomicInteger calls = new AtomicInteger();

        private final Sinks.One<String> work = Sinks.one();

        private int count;

        private final AtomicInteger asked = new AtomicInteger();

        private volatile Boolean wanted = false;

        public AtomicInteger asked() {
            return this.asked;
        }

        void want(Boolean lock) {
            this.wanted = lock;
        }

        public Boolean isWanted() {
            this.asked.incrementAndGet();
            return this.wanted;
        }

        @DistributedLock(name = "feed", key = "#id + '-' + #root.target.asked()", condition = "#root.target.isWanted()")
        public Mono<String> ifWanted(String id) {
            this.calls.incrementAndGet();
            return Mono.just(LeaseContext.current().map(Lease::name).orElse("none"));
        }

        int calls() {
            return this.calls.get();
        }

        Sinks.One<String> work() {
            return this.work;
        }

        int count() {
            return this.count;
        }

        @DistributedLock(name = "feed")
        public Mono<Boolean> isLockedInside(LockedContext app) {
            this.calls.incrementAndGet();
            return Mono.fromCallable(() -> app.isLocked("feed"));
        }

        @DistributedLock(name = "feed")
        public Flux<Integer> several() {
            return Flux.just(1, 2, 3);
        }

        @DistributedLock(name = "feed")
        public Mono<String> failing() {
            return Mono.error(new IllegalStateException("on purpose"));
        }

        @DistributedLock(name = "feed")
        public Mono<String> losing(LockedContext app) {
            return Mono.fromCallable(() -> {
                app.registry.getLock("feed").forceUnlock();
                throw new IllegalStateException("on purpose");
            });
        }

        @DistributedLock(name = "feed", waitTime = -1)
        public Mono<String> patient() {
            return Mono.empty();
        }

        @DistributedLock(name = "feed")
        public Flux<Long> endless() {
            return Flux.interval(Duration.ofMillis(50));
        }

        @DistributedLock(name = "feed")
        public Mono<Long> token() {
            return Mono.just(LeaseContext.required().fencingToken());
        }

        @DistributedLock(name = "feed")
        public Mono<Long> tokenOfContext() {
            return Mono.deferContextual(
                    context -> Mono.just(context.get(Lease.class).fencingToken()));
        }

        @DistributedLock(name = "feed")
        public Mono<String> working() {
            return this.work.asMono();
        }

        @DistributedLock(name = "feed", waitTime = 50)
        public Mono<String> impatient() {
            return Mono.just("done");
        }

        @DistributedLock(name = "feed", waitTime = 50, onNotGranted = OnNotGranted.SKIP)
        public Mono<String> skipped() {
            return Mono.just("done");
        }

        @DistributedLock(name = "feed", waitTime = 50, fallback = "instead")
        public Mono<String> withFallback() {
            return Mono.just("done");
        }

        Mono<String> instead() {
            return Mono.just("instead");
        }

        @DistributedLock(name = "feed", waitTime = -1)
        public Mono<Integer> counted() {
            return Mono.fromCallable(() -> ++this.count);
        }
    }
}
