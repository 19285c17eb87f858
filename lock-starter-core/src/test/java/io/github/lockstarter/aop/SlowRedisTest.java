package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;

/**
 * Calls of several locks on a Redis that does not answer, or answers each command just in time: a call of ten locks is
 * delayed as one of one lock.
 */
@RedisTest
@Timeout(120)
class SlowRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    /** For calls that are over before it, and for answers that arrive before it, on a busy machine as well. */
    private static final Duration LONG_COMMAND_TIMEOUT = Duration.ofSeconds(3);

    /** Each answer arrives in time, so that only the number of locks delays the call. */
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private static final int WAIT = 500;

    /** The second answer arrives after the deadline and one command timeout, and a third would arrive even later. */
    private static final Duration LATEST = ANSWER.multipliedBy(3);

    /** The kind of result of the method. The calls of all kinds run at the same time, each with keys of its own. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO;

        List<String> keys() {
            return IntStream.range(0, 10).mapToObj(i -> name() + i).toList();
        }
    }

    /** What came of a call, and when: null if it succeeded. */
    private record Outcome(Throwable failure, long endNanos) {}

    private final RedisServer server;

    private final FaultProxy proxy;

    private final LettuceConnectionFactory factory;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private LockedContext app;

    private Transfers transfers;

    SlowRedisTest(RedisServer server) {
        this.server = server;
        this.proxy = FaultProxy.inFrontOf(server.port());
        this.factory = Servers.at(this.proxy.host(), this.proxy.port());
        this.factory.afterPropertiesSet();
    }

    /** Whether the registry sends no attempts, so that the locks of a call are acquired one after the other. */
    private boolean isDelegating;

    private void start(ReleaseMode mode, Duration commandTimeout) {
        LockSettings settings = LockSettings.of(
                        Duration.ofSeconds(10),
                        OnLost.THROW,
                        Duration.ofSeconds(20),
                        null,
                        null,
                        commandTimeout,
                        null,
                        Duration.ofSeconds(10))
                .withReleaseMode(mode);
        this.app = LockedContext.prepare(store(commandTimeout), settings, processor -> {}, Transfers.class);
        this.app.calls.isDelegating = this.isDelegating;
        this.app.refresh();
        this.transfers = this.app.getBean(Transfers.class);
        await().ignoreExceptions().until(() -> !this.app.isLocked("warm-up"));
        await().until(() -> callAll(() -> {}).stream().allMatch(outcome -> outcome.failure == null));
    }

    private RedisLockStore store(Duration commandTimeout) {
        return new RedisLockStore(
                this.factory, new RedisStoreSettings("lock", commandTimeout, true, Duration.ofMillis(100)));
    }

    @AfterEach
    void stop() {
        this.server.resume();
        this.proxy.heal();
        this.app.close();
        this.factory.destroy();
        this.proxy.close();
        this.threads.shutdownNow();
    }

    private List<Outcome> callAll(Runnable body) {
        List<CompletableFuture<Outcome>> calls = Stream.of(Way.values())
                .map(way -> CompletableFuture.supplyAsync(
                        () -> new Outcome(call(way, way.keys(), body), System.nanoTime()), this.threads))
                .toList();
        return calls.stream().map(CompletableFuture::join).toList();
    }

    private Throwable call(Way way, List<String> keys, Runnable body) {
        Throwable failure = catchThrowable(() -> {
            switch (way) {
                case DIRECT -> this.transfers.direct(keys, body);
                case FUTURE ->
                    this.transfers
                            .future(keys, body, this.threads)
                            .orTimeout(60, TimeUnit.SECONDS)
                            .join();
                default -> this.transfers.mono(keys, body).block(Duration.ofSeconds(20));
            }
        });
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }

    /** Pauses the server when the bodies of all kinds run, and returns how long the calls take from then. */
    private List<Duration> pausedInTheBodies() {
        long[] paused = new long[1];
        CyclicBarrier bodies = new CyclicBarrier(Way.values().length, () -> {
            this.server.pause();
            paused[0] = System.nanoTime();
        });
        List<Outcome> outcomes = callAll(() -> {
            try {
                int unused = bodies.await(10, TimeUnit.SECONDS);
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        });
        assertThat(outcomes)
                .as("the locks were held until the bodies ended")
                .allSatisfy(outcome -> assertThat(outcome.failure).isNull());
        return outcomes.stream()
                .map(outcome -> Duration.ofNanos(outcome.endNanos - paused[0]))
                .toList();
    }

    private void assertReleased() {
        this.server.resume();
        this.proxy.heal();
        for (Way way : Way.values()) {
            for (String key : way.keys()) {
                await().ignoreExceptions().until(() -> !this.app.isLocked("account:" + key));
            }
        }
    }

    private static void assertTook(List<Outcome> outcomes, long startNanos, Duration most) {
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(Duration.ofNanos(outcome.endNanos - startNanos))
                        .isLessThan(most));
    }

    @Test
    void shouldReleaseAllTogether() {
        start(ReleaseMode.AWAIT, COMMAND_TIMEOUT);

        assertThat(pausedInTheBodies())
                .as("less than the timeouts of ten releases, one after the other")
                .allSatisfy(time -> assertThat(time).isLessThan(COMMAND_TIMEOUT.multipliedBy(5)));
        assertReleased();
    }

    @Test
    void shouldNotWaitForTheReleaseIfItIsDoneInTheBackground() {
        start(ReleaseMode.BACKGROUND, LONG_COMMAND_TIMEOUT);

        assertThat(pausedInTheBodies()).allSatisfy(time -> assertThat(time).isLessThan(LONG_COMMAND_TIMEOUT));
        assertReleased();
    }

    @Test
    void shouldEndTheWaitForTheLastLockInTime() throws Exception {
        start(ReleaseMode.AWAIT, COMMAND_TIMEOUT);
        List<CompletableFuture<?>> released = new ArrayList<>();
        List<Lease> taken = takeForEachWay(this.app, 9);
        long start = System.nanoTime();
        CompletableFuture<List<Outcome>> calls = CompletableFuture.supplyAsync(() -> callAll(() -> {}), this.threads);
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> this.app.registry.active() == 30 || calls.isDone());
        this.server.pause();
        // No longer held by this JVM, so that only Redis can answer.
        taken.forEach(lease -> released.add(lease.releaseAsync(Duration.ZERO).toCompletableFuture()));

        assertThat(calls).succeedsWithin(Duration.ofSeconds(20));
        assertTook(calls.join(), start, COMMAND_TIMEOUT.multipliedBy(6).plusMillis(WAIT));
        assertThat(calls.join())
                .allSatisfy(outcome -> assertThat(outcome.failure)
                        .as("a reply that is missing, or a wait that has ended before the pause on a busy machine")
                        .isInstanceOfAny(LockStoreException.class, LockNotGrantedException.class));
        assertReleased();
        assertThat(released).allSatisfy(answer -> assertThat(answer).succeedsWithin(Duration.ofSeconds(20)));
    }

    @Test
    void shouldNotRequestFurtherLocksAfterTheDeadline() {
        this.isDelegating = true;
        start(ReleaseMode.AWAIT, LONG_COMMAND_TIMEOUT);

        assertThat(callAllWithSlowAnswers())
                .allSatisfy(outcome -> assertThat(outcome.failure)
                        .isInstanceOfSatisfying(LockStoreException.class, ex -> {
                            assertThat(ex.isOutcomeUnknown()).isFalse();
                            assertThat(ex.isTransient()).isTrue();
                        })
                        .hasMessageContainingAll("account:", "of its 10 locks", WAIT + " ms"));
        assertReleased();
    }

    @Test
    void shouldLimitTheWaitForReleases() throws Exception {
        start(ReleaseMode.AWAIT, LONG_COMMAND_TIMEOUT);
        try (LockedContext another =
                LockedContext.on(store(LONG_COMMAND_TIMEOUT), LockSettings.of(Duration.ofSeconds(20)))) {
            List<Lease> taken = takeForEachWay(another, 1);

            assertThat(callAllWithSlowAnswers())
                    .allSatisfy(outcome -> assertThat(outcome.failure)
                            .isInstanceOfAny(LockNotGrantedException.class, LockStoreException.class));
            this.proxy.heal();
            taken.forEach(Lease::close);
        }
        assertReleased();
    }

    /** Acquires one of the locks of each way, before it is called. */
    private static List<Lease> takeForEachWay(LockedContext context, int index) throws InterruptedException {
        List<Lease> taken = new ArrayList<>();
        for (Way way : Way.values()) {
            taken.add(context.registry.acquire(
                    LockRequest.of("account:" + way.keys().get(index))));
        }
        return taken;
    }

    private List<Outcome> callAllWithSlowAnswers() {
        this.proxy.delay(Duration.ZERO, ANSWER);
        long start = System.nanoTime();
        List<Outcome> outcomes = callAll(() -> {});
        assertTook(outcomes, start, LATEST);
        return outcomes;
    }

    static class Transfers {

        @DistributedLock(name = "account", key = "#keys", waitTime = WAIT, lease = 20_000)
        public void direct(List<String> keys, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "account", key = "#keys", waitTime = WAIT, lease = 20_000)
        public CompletableFuture<Void> future(List<String> keys, Runnable body, Executor threads) {
            return CompletableFuture.runAsync(body, threads);
        }

        @DistributedLock(name = "account", key = "#keys", waitTime = WAIT, lease = 20_000)
        public Mono<Void> mono(List<String> keys, Runnable body) {
            return Mono.fromRunnable(body);
        }
    }
}
