package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A future that is completed by the thread of the Redis client that also reads the answers for the lock. */
@RedisTest
class FutureOfRedisTest {

    private static ClientSharingApplication application(RedisServer server) {
        return new ClientSharingApplication(
                server, locks -> locks.bean(Reports.class).none(), Reports.class);
    }

    @Test
    void shouldNotBlockTheThreadThatReadsTheAnswersOfRedis(RedisServer server) throws Exception {
        try (ClientSharingApplication application = application(server)) {
            Reports reports = application.locks().bean(Reports.class);
            for (StatefulRedisConnection<String, String> connection : application.connections()) {
                CompletableFuture<String> all = reports.count(
                        connection.async().blpop(0.1, "nobody fills it").thenApply(String::valueOf));

                assertThat(all).succeedsWithin(Duration.ofSeconds(20));
                assertThat(application.locks().isLocked("report")).isFalse();
            }
        }
    }

    /** More futures than threads of any kind: no release may block the thread that completes them. */
    @Test
    void shouldNotBlockThatThreadWithAnyNumberOfFutures(RedisServer server) throws Exception {
        try (ClientSharingApplication application = application(server)) {
            Reports reports = application.locks().bean(Reports.class);
            for (StatefulRedisConnection<String, String> connection : application.connections()) {
                CompletableFuture<String> signal = new CompletableFuture<>();
                List<CompletableFuture<String>> all = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    all.add(reports.part("" + i, signal));
                }
                RedisFuture<String> answer = connection.async().ping();
                long start = System.nanoTime();
                CompletionStage<?> unused = answer.thenAccept(signal::complete);

                assertThat(connection.async().ping().toCompletableFuture())
                        .as("the next answer is read although a thousand locks are being released")
                        .succeedsWithin(Duration.ofSeconds(5));
                assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)))
                        .succeedsWithin(Duration.ofSeconds(20));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
                assertThat(application.locks().registry.active()).isZero();
            }
        }
    }

    static class Reports {

        @DistributedLock(name = "report")
        public CompletableFuture<String> count(CompletionStage<String> entries) {
            return entries.toCompletableFuture();
        }

        @DistributedLock(name = "part", key = "#number")
        public CompletableFuture<String> part(String number, CompletableFuture<String> signal) {
            return signal;
        }

        @DistributedLock(name = "report")
        public CompletableFuture<String> none() {
            return Mono.<String>empty().toFuture();
        }
    }
}
