package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Work that Spring lets end before it stops the locks, so that it takes longer than their shutdown timeout. */
@RedisTest
@Timeout(120)
class StoppedInstanceTest {

    private final RedisServer redis;
    private Instance instance;

    StoppedInstanceTest(RedisServer redis) {
        this.redis = redis;
    }

    @BeforeEach
    void start(@TempDir Path directory) {
        instance = Instance.start(
                directory, "--spring.data.redis.port=" + redis.port(), "--distributed-lock.shutdown-timeout=100ms");
    }

    @Test
    void keepsTheLockOfARequestWhileTheWebServerStops() throws Exception {
        MeterRegistry meters = instance.bean(MeterRegistry.class);
        instance.post("/api/events/gala?seats=5");
        CompletableFuture<?> unused =
                CompletableFuture.runAsync(() -> instance.post("/api/events/gala/report?seconds=2"));
        try (var cli = redis.cli()) {
            await().until(() -> cli.command("EXISTS", "lock:{report:gala}").equals(1L));
        }

        instance.close();

        // The answer of the report would prove nothing: Tomcat sends it after the request has ended for the graceful
        // shutdown, and the connection may be closed before.
        Timer held = meters.get("distributed.lock.hold").tag("lock", "report").timer();
        assertThat(held.totalTime(TimeUnit.SECONDS))
                .as("held to the end of the report, in seconds")
                .isGreaterThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(classes = {ThreadPoolTaskScheduler.class, ThreadPoolTaskExecutor.class})
    void keepsTheLockOfATaskWhileItsPoolStops(Class<? extends AsyncTaskExecutor> pool) throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        LockRegistry locks = instance.bean(LockRegistry.class);
        instance.bean(pool)
                .execute(() -> locks.executeWithoutResult(LockRequest.of("task"), lease -> {
                    running.countDown();
                    held.complete(holdsFor(lease, 2));
                }));
        running.await();

        instance.close();

        assertThat(held.get(10, TimeUnit.SECONDS))
                .as("held to the end of the task")
                .isTrue();
    }

    private static boolean holdsFor(Lease lease, int seconds) {
        CountDownLatch lost = new CountDownLatch(1);
        lease.lost().thenRun(lost::countDown);
        try {
            return !lost.await(seconds, TimeUnit.SECONDS) && lease.isHeld();
        } catch (InterruptedException ex) {
            return false;
        }
    }
}
