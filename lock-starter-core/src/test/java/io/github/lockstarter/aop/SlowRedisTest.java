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

/** A call of several locks on a Redis that answers each command just in time. */
@RedisTest
class SlowRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration ANSWER = Duration.ofMillis(1700);

    /** The second answer arrives after the deadline and one command timeout, and a third would arrive even later. */
    private static final Duration LATEST = ANSWER.multipliedBy(2).plusMillis(1000);

    /** The kind of result of the method. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO
    }

    private final FaultProxy proxy;

    private final LettuceConnectionFactory slowFactory;

    private final LettuceConnectionFactory factory;

    private final RealLocks app;

    private final LeasingLockRegistry another;

    private final Transfers transfers;

    SlowRedisTest(RedisServer server) {
        this.proxy = FaultProxy.inFrontOf(server.port());
        this.slowFactory = started(Servers.at(this.proxy.host(), this.proxy.port()));
        this.factory = started(Servers.of(server));
        this.app = RealLocks.on(store(this.slowFactory), Duration.ofSeconds(20), Transfers.class);
        this.another =
                new LeasingLockRegistry(store(this.factory), LockSettings.of(Duration.ofSeconds(20)), null, List.of());
        this.app.processor.setCommandTimeout(COMMAND_TIMEOUT);
        this.transfers = this.app.bean(Transfers.class);
        await().ignoreExceptions().until(() -> !this.app.isLocked("warm-up"));
        for (Way way : Way.values()) {
            await().until(() -> call(way, List.of("a", "b")) == null);
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
        this.proxy.heal();
        this.app.close();
        this.another.destroy();
        this.slowFactory.destroy();
        this.factory.destroy();
        this.proxy.close();
    }

    /** Each answer arrives in time, so that only the number of locks delays the call. */
    @ParameterizedTest
    @EnumSource
    void shouldNotRequestFurtherLocksAfterTheDeadline(Way way) {
        List<String> keys = IntStream.range(0, 10).mapToObj(i -> "k" + i).toList();
        this.proxy.delay(Duration.ZERO, ANSWER);
        long start = System.nanoTime();

        Throwable failure = call(way, keys);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATEST);
        assertThat(failure)
                .isInstanceOfSatisfying(LockStoreException.class, ex -> {
                    assertThat(ex.isOutcomeUnknown()).isFalse();
                    assertThat(ex.isTransient()).isTrue();
                })
                .hasMessageContainingAll("account:k", "of its 10 locks", "1000 ms");
        this.proxy.heal();
        for (String key : keys) {
            await().ignoreExceptions().until(() -> !this.app.isLocked("account:" + key));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLimitTheWaitForReleases(Way way) throws Exception {
        Lease taken = this.another.acquire(LockRequest.of("account:b"));
        this.proxy.delay(Duration.ZERO, ANSWER);
        long start = System.nanoTime();

        Throwable failure = call(way, List.of("a", "b"));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATEST);
        assertThat(failure).isInstanceOfAny(LockNotGrantedException.class, LockStoreException.class);
        this.proxy.heal();
        await().ignoreExceptions().until(() -> !this.app.isLocked("account:a"));
        assertThat(taken.release()).isTrue();
    }

    /** Returns the exception of the call; null if it succeeds. */
    private Throwable call(Way way, List<String> keys) {
        Throwable failure = catchThrowable(() -> {
            switch (way) {
                case DIRECT -> this.transfers.direct(keys);
                case FUTURE -> this.transfers.future(keys).join();
                default -> this.transfers.mono(keys).block(Duration.ofSeconds(20));
            }
        });
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }

    static class Transfers {

        @DistributedLock(name = "account", key = "#keys", waitTime = 1000, lease = 20_000)
        public void direct(List<String> keys) {}

        @DistributedLock(name = "account", key = "#keys", waitTime = 1000, lease = 20_000)
        public CompletableFuture<Void> future(List<String> keys) {
            return CompletableFuture.completedFuture(null);
        }

        @DistributedLock(name = "account", key = "#keys", waitTime = 1000, lease = 20_000)
        public Mono<Void> mono(List<String> keys) {
            return Mono.empty();
        }
    }
}
