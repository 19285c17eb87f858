package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.engine.ReleaseMode;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;

/** Calls of an application with {@code distributed-lock.release=background}. */
@RedisTest
class BackgroundReleaseOfCallTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration AT_ONCE = Duration.ofSeconds(3);

    private static final List<String> KEYS = List.of("a", "b", "c");

    private final RedisServer server;

    private final LettuceConnectionFactory factory;

    private final RealLocks app;

    private final Orders orders;

    BackgroundReleaseOfCallTest(RedisServer server) {
        this.server = server;
        this.factory = Servers.of(server);
        this.factory.afterPropertiesSet();
        this.factory.start();
        this.app = RealLocks.on(
                new RedisLockStore(
                        this.factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, Duration.ofSeconds(1))),
                LockSettings.of(COMMAND_TIMEOUT.multipliedBy(6)).withReleaseMode(ReleaseMode.BACKGROUND),
                Orders.class);
        this.orders = this.app.bean(Orders.class);
        await().ignoreExceptions().until(() -> !this.app.isLocked("warm-up"));
    }

    @AfterEach
    void stop() {
        this.server.resume();
        this.app.close();
        this.factory.destroy();
    }

    @Test
    void shouldNotWaitForTheLocksOfOneCall() {
        assertThatItReturnsAtOnce(() -> this.orders.several(KEYS, this.server::pause));
    }

    @Test
    void shouldNotWaitBeforeAFutureIsCompleted() {
        assertThatItReturnsAtOnce(
                () -> this.orders.future(KEYS, this.server::pause).join());
    }

    @Test
    void shouldNotWaitBeforeAPublisherEnds() {
        assertThatItReturnsAtOnce(
                () -> this.orders.mono(KEYS, this.server::pause).block());
    }

    private void assertThatItReturnsAtOnce(Runnable call) {
        assertThat(CompletableFuture.runAsync(call)).succeedsWithin(AT_ONCE);
        this.server.resume();
        for (String key : KEYS) {
            await().until(() -> !this.app.isLocked("order:" + key));
        }
    }

    static class Orders {

        @DistributedLock(name = "order", key = "#keys")
        public void several(List<String> keys, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "order", key = "#keys")
        public CompletableFuture<Void> future(List<String> keys, Runnable body) {
            return CompletableFuture.runAsync(body);
        }

        @DistributedLock(name = "order", key = "#keys")
        public Mono<Void> mono(List<String> keys, Runnable body) {
            return Mono.fromRunnable(body);
        }
    }
}
