package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
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

/** If Redis does not answer, a call of ten locks is delayed by one command timeout, like a call of one lock. */
@RedisTest
class SilentRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(400);

    /** One command timeout and a tolerance for a busy machine; one timeout for each lock would be twice as much. */
    private static final Duration ONE_TIMEOUT = COMMAND_TIMEOUT.multipliedBy(5);

    /** Long enough for the test to see that all other locks are held, on a busy machine too. */
    private static final int WAIT = 2000;

    private static final List<String> KEYS =
            IntStream.range(0, 10).mapToObj(i -> "k" + i).toList();

    /** The kind of result of the method. */
    enum Way {
        DIRECT,
        FUTURE,
        MONO
    }

    private final RedisServer server;

    private final LettuceConnectionFactory factory;

    private final RealLocks app;

    private final Transfers transfers;

    SilentRedisTest(RedisServer server) {
        this.server = server;
        this.factory = Servers.of(server);
        this.factory.afterPropertiesSet();
        this.factory.start();
        RedisStoreSettings settings = new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, Duration.ofMillis(100));
        this.app = RealLocks.on(
                new RedisLockStore(this.factory, settings), COMMAND_TIMEOUT.multipliedBy(6), Transfers.class);
        this.transfers = this.app.bean(Transfers.class);
        await().ignoreExceptions().until(() -> !this.app.isLocked("warm-up"));
        for (Way way : Way.values()) {
            await().until(() -> call(way, () -> {}) == null);
        }
    }

    @AfterEach
    void stop() {
        this.server.resume();
        this.app.close();
        this.factory.destroy();
    }

    @ParameterizedTest
    @EnumSource
    void shouldReleaseAllTogether(Way way) {
        long[] endOfBody = new long[1];

        Throwable failure = call(way, () -> {
            this.server.pause();
            endOfBody[0] = System.nanoTime();
        });

        assertThat(Duration.ofNanos(System.nanoTime() - endOfBody[0])).isLessThan(ONE_TIMEOUT);
        assertThat(failure).as("the locks were held until the body ended").isNull();
        this.server.resume();
        for (String key : KEYS) {
            await().ignoreExceptions().until(() -> !this.app.isLocked("account:" + key));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheWaitForTheLastLockInTime(Way way) throws Exception {
        Lease taken = this.app.registry.acquire(LockRequest.of("account:k9"));
        long start = System.nanoTime();
        CompletableFuture<Throwable> call = CompletableFuture.supplyAsync(() -> call(way, () -> {}));
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> this.app.registry.active() == KEYS.size());
        this.server.pause();
        // no longer held by this JVM, so that only Redis can answer
        CompletableFuture<?> released = taken.releaseAsync(Duration.ZERO).toCompletableFuture();

        assertThat(call).succeedsWithin(ONE_TIMEOUT.plusMillis(WAIT));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ONE_TIMEOUT.plusMillis(WAIT));
        assertThat(call.join()).isInstanceOf(LockStoreException.class);
        this.server.resume();
        for (String key : KEYS) {
            await().ignoreExceptions().until(() -> !this.app.isLocked("account:" + key));
        }
        assertThat(released).succeedsWithin(Duration.ofSeconds(5));
    }

    /** Returns the exception of the call; null if it succeeds. */
    private Throwable call(Way way, Runnable body) {
        Throwable failure = catchThrowable(() -> {
            switch (way) {
                case DIRECT -> this.transfers.direct(KEYS, body);
                case FUTURE -> this.transfers.future(KEYS, body).join();
                default -> this.transfers.mono(KEYS, body).block(Duration.ofSeconds(20));
            }
        });
        return failure instanceof CompletionException ? failure.getCause() : failure;
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
