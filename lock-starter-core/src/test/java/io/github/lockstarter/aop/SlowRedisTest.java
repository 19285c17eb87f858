package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.engine.ReleaseMode;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;

/**
 * Calls of several locks on a Redis that does not answer, or answers each command just in time: a call of ten locks is delayed as
 * one of one lock.
 */
@RedisTest
class SlowRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

    /** Each answer arrives in time, so that only the number of locks delays the call. */
    private static final Duration ANSWER = Duration.ofMillis(850);

    private static final int WAIT = 500;

    /** The second answer arrives after the deadline and one command timeout, and a third would arrive even later. */
    private static final Duration LATEST = ANSWER.multipliedBy(2).plusMillis(700);

    private static final List<String> KEYS =
            IntStream.range(0, 10).mapToObj(i -> "k" + i).toList();

    /** The kind of result of the method. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO
    }

    private final RedisServer server;

    private final FaultProxy proxy;

    private final LettuceConnectionFactory slowFactory;

    private final LettuceConnectionFactory factory;

    private final LeasingLockRegistry another;

    private RealLocks app;

    private Transfers transfers;

    SlowRedisTest(RedisServer server) {
        this.server = server;
        this.proxy = FaultProxy.inFrontOf(server.port());
        this.slowFactory = started(Servers.at(this.proxy.host(), this.proxy.port()));
        this.factory = started(Servers.of(server));
        this.another =
                new LeasingLockRegistry(store(this.factory), LockSettings.of(Duration.ofSeconds(20)), null, List.of());
    }

    private void start(ReleaseMode mode) {
        LockSettings settings = LockSettings.of(Duration.ofSeconds(20)).withReleaseMode(mode);
        this.app = RealLocks.on(store(this.slowFactory), settings, Transfers.class);
        this.app.processor.setCommandTimeout(COMMAND_TIMEOUT);
        this.transfers = this.app.bean(Transfers.class);
        await().ignoreExceptions().until(() -> !this.app.isLocked("warm-up"));
        for (Way way : Way.values()) {
            await().until(() -> call(way, List.of("a", "b"), () -> {}) == null);
        }
    }

    private static RedisLockStore store(LettuceConnectionFactory factory) {
        return new RedisLockStore(
                factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, Duration.ofMillis(100)));
    }

    private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    @AfterEach
    void stop() {
        this.server.resume();
        this.proxy.heal();
        this.app.close();
        this.another.destroy();
        this.slowFactory.destroy();
        this.factory.destroy();
        this.proxy.close();
    }

    /** Returns the exception of the call; null if it succeeds. */
    private Throwable call(Way way, List<String> keys, Runnable body) {
        Throwable failure = catchThrowable(() -> {
            switch (way) {
                case DIRECT -> this.transfers.direct(keys, body);
                case FUTURE -> this.transfers.future(keys, body).join();
                default -> this.transfers.mono(keys, body).block(Duration.ofSeconds(20));
            }
        });
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }

    private void assertReleased(List<String> keys) {
        this.server.resume();
        this.proxy.heal();
        for (String key : keys) {
            await().ignoreExceptions().until(() -> !this.app.isLocked("account:" + key));
        }
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseAllTogether(Way way) {
        start(ReleaseMode.AWAIT);
        long[] endOfBody = new long[1];
        Throwable failure = call(way, KEYS, () -> {
            this.server.pause();
            endOfBody[0] = System.nanoTime();
        });

        assertThat(since(endOfBody[0]))
                .as("two timeouts, on a busy machine")
                .isLessThan(COMMAND_TIMEOUT.multipliedBy(2));
        assertThat(failure).as("the locks were held until the body ended").isNull();
        assertReleased(KEYS);
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotWaitForTheReleaseIfItIsDoneInTheBackground(Way way) {
        start(ReleaseMode.BACKGROUND);
        long[] endOfBody = new long[1];
        Throwable failure = call(way, KEYS, () -> {
            this.server.pause();
            endOfBody[0] = System.nanoTime();
        });

        assertThat(since(endOfBody[0])).isLessThan(COMMAND_TIMEOUT.dividedBy(2));
        assertThat(failure).isNull();
        assertReleased(KEYS);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheWaitForTheLastLockInTime(Way way) throws Exception {
        start(ReleaseMode.AWAIT);
        Lease taken = this.app.registry.acquire(LockRequest.of("account:k9"));
        long start = System.nanoTime();
        CompletableFuture<Throwable> call = CompletableFuture.supplyAsync(() -> call(way, KEYS, () -> {}));
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> this.app.registry.active() == KEYS.size());
        this.server.pause();
        // No longer held by this JVM, so that only Redis can answer.
        CompletableFuture<?> released = taken.releaseAsync(Duration.ZERO).toCompletableFuture();

        assertThat(call).succeedsWithin(Duration.ofSeconds(20));
        assertThat(since(start)).isLessThan(COMMAND_TIMEOUT.multipliedBy(2).plusMillis(WAIT));
        assertThat(call.join()).isInstanceOf(LockStoreException.class);
        assertReleased(KEYS);
        assertThat(released).succeedsWithin(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotRequestFurtherLocksAfterTheDeadline(Way way) {
        start(ReleaseMode.AWAIT);
        this.proxy.delay(Duration.ZERO, ANSWER);
        long start = System.nanoTime();
        Throwable failure = call(way, KEYS, () -> {});

        assertThat(since(start)).isLessThan(LATEST);
        assertThat(failure)
                .isInstanceOfSatisfying(LockStoreException.class, ex -> {
                    assertThat(ex.isOutcomeUnknown()).isFalse();
                    assertThat(ex.isTransient()).isTrue();
                })
                .hasMessageContainingAll("account:k", "of its 10 locks", WAIT + " ms");
        assertReleased(KEYS);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLimitTheWaitForReleases(Way way) throws Exception {
        start(ReleaseMode.AWAIT);
        Lease taken = this.another.acquire(LockRequest.of("account:b"));
        this.proxy.delay(Duration.ZERO, ANSWER);
        long start = System.nanoTime();
        Throwable failure = call(way, List.of("a", "b"), () -> {});

        assertThat(since(start)).isLessThan(LATEST);
        assertThat(failure).isInstanceOfAny(LockNotGrantedException.class, LockStoreException.class);
        assertReleased(List.of("a"));
        assertThat(taken.release()).isTrue();
    }

    static class Transfers {

        @DistributedLock(name = "account", key = "#keys", waitTime = WAIT, lease = 20_000)
        public void direct(List<String> keys, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "account", key = "#keys", waitTime = WAIT, lease = 20_000)
        public CompletableFuture<Void> future(List<String> keys, Runnable body) {
            return CompletableFuture.runAsync(body);
        }

        @DistributedLock(name = "account", key = "#keys", waitTime = WAIT, lease = 20_000)
        public Mono<Void> mono(List<String> keys, Runnable body) {
            return Mono.fromRunnable(body);
        }
    }
}
