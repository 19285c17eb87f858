package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Locks that are held while the application stops, with everything in the order in which Spring Boot stops it. */
@RedisTest
class ShutdownRedisTest {

    private static final String KEY = "lock:{orders}";

    private final RedisServer redis;

    private final RedisCli cli;

    ShutdownRedisTest(RedisServer redis, RedisCli cli) {
        this.redis = redis;
        this.cli = cli;
    }

    @Test
    void shouldReleaseWhatEndsInTime() {
        CompletableFuture<Boolean> released = new CompletableFuture<>();

        TestContexts.application(this.redis).run(context -> {
            Lease lease = context.getBean(LockRegistry.class).acquire(LockRequest.of("orders"));
            assertThat(this.cli.exists(KEY)).isTrue();
            CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS)
                    .execute(() -> released.complete(lease.release()));
        });

        assertThat(released).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
        assertThat(this.cli.exists(KEY)).isFalse();
    }

    @Test
    void shouldLeaveToTheirLeaseWhatDoesNot() {
        CompletableFuture<LossReason> lost = new CompletableFuture<>();

        TestContexts.application(this.redis)
                .withPropertyValues("distributed-lock.shutdown-timeout=100ms")
                .run(context -> context.getBean(LockRegistry.class)
                        .acquire(LockRequest.of("orders"))
                        .lost()
                        .thenAccept(lost::complete));

        assertThat(lost).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(LossReason.SHUTDOWN);
        assertThat(this.cli.pttl(KEY)).isBetween(1L, 30_000L);
    }
}
