package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.backing.TestBacking;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Two instances in JVMs of their own, of which the one that has launched the backing process is killed. */
@Tag("full")
class KilledInstanceTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String KEY = "lock:{event:race}";

    private static TestBacking backing;
    private static WorkerJvm holder;
    private static Instance other;

    /** An instance that sells tickets of an event and never gets done with it. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] options) {
            Instance instance = Instance.start(options);
            instance.post("/api/events/race?seats=5");
            TransactionTemplate transaction = new TransactionTemplate(instance.bean(PlatformTransactionManager.class));
            instance.bean(LockRegistry.class)
                    .executeWithoutResult(
                            LockRequest.of("event", "race"),
                            lease -> transaction.executeWithoutResult(status -> {
                                instance.bean(JdbcClient.class)
                                        .sql("update event set sold = sold + 1 where id = 'race'")
                                        .update();
                                System.out.println("holds");
                                await().forever().until(() -> false);
                            }));
        }
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        backing = new TestBacking(directory);
        holder = WorkerJvm.start(Holder.class, backing.options());
        holder.awaitLine("holds"::equals, LIMIT);
        other = Instance.start(backing.options());
    }

    @AfterAll
    static void stop() {
        holder.close();
        other.close();
        backing.close();
    }

    @Test
    void leavesItsLockAtTheEndOfTheLeaseAndNothingElse() throws Exception {
        List<ProcessHandle> processes = backing.processes();
        try (RedisCli redis = RedisCli.connect(backing.redisPort())) {
            CompletableFuture<Answer> sale =
                    CompletableFuture.supplyAsync(() -> other.post("/api/events/race/tickets"));
            await().until(() -> redis.command("HGET", KEY, "q") instanceof String line && !line.isEmpty());

            holder.kill();
            long expiry = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos((Long) redis.command("PTTL", KEY));

            Answer answer = sale.get(60, TimeUnit.SECONDS);
            Duration late = Duration.ofNanos(System.nanoTime() - expiry);
            assertThat(answer.status()).as(answer.body()).isEqualTo(201);
            assertThat(answer.number("$.number")).as("its sale is rolled back").isEqualTo(1);
            assertThat(late).isBetween(Duration.ofMillis(-100), Duration.ofSeconds(8));
        }
        assertThat(backing.processes()).isEqualTo(processes).allMatch(ProcessHandle::isAlive);
    }
}
