package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Publishers under locks in Redis: completed by the thread that reads its answers, and not granted in time. */
@RedisTest
class PublisherOfRedisTest {

    private static ClientSharingApplication application(RedisServer server) {
        return new ClientSharingApplication(
                server, locks -> locks.bean(Feeds.class).none().toFuture(), Feeds.class);
    }

    @Test
    void shouldNotBlockTheThreadThatReadsTheAnswersOfRedis(RedisServer server) throws Exception {
        try (ClientSharingApplication application = application(server)) {
            Feeds feeds = application.locks().bean(Feeds.class);
            for (StatefulRedisConnection<String, String> connection : application.connections()) {
                CompletableFuture<String> signal = new CompletableFuture<>();
                CompletableFuture<?>[] all = IntStream.range(0, 1000)
                        .mapToObj(i -> feeds.part("" + i, signal).toFuture())
                        .toArray(CompletableFuture[]::new);
                await().until(() -> application.locks().registry.active() == 1000);
                CompletionStage<?> unused = connection.async().ping().thenAccept(signal::complete);

                assertThat(connection.async().ping().toCompletableFuture())
                        .as("the next answer is read although a thousand locks are being released")
                        .succeedsWithin(Duration.ofSeconds(5));
                assertThat(CompletableFuture.allOf(all)).succeedsWithin(Duration.ofSeconds(20));
                assertThat(application.locks().registry.active()).isZero();
            }
        }
    }

    /** A command in flight at the end of the wait is no silence of the store: no call fails. */
    @Test
    void shouldSkipEachCallThatIsNotGrantedInTime(RedisServer server) throws Exception {
        try (ClientSharingApplication application = application(server)) {
            Feeds feeds = application.locks().bean(Feeds.class);
            application.locks().takenByAnother("feed", () -> {
                List<CompletableFuture<String>> calls = Stream.generate(() -> Stream.of(
                                feeds.brief().toFuture(), feeds.longer().toFuture()))
                        .limit(50)
                        .flatMap(both -> both)
                        .toList();

                assertThat(calls)
                        .allSatisfy(call -> assertThat(call)
                                .succeedsWithin(Duration.ofSeconds(20))
                                .isNull());
            });
        }
    }

    static class Feeds {

        @DistributedLock(name = "part", key = "#number")
        public Mono<String> part(String number, CompletableFuture<String> signal) {
            return Mono.fromFuture(signal, true);
        }

        @DistributedLock(name = "feed", waitTime = 200, onNotGranted = OnNotGranted.SKIP)
        public Mono<String> brief() {
            return Mono.just("done");
        }

        @DistributedLock(name = "feed", waitTime = 1000, onNotGranted = OnNotGranted.SKIP)
        public Mono<String> longer() {
            return Mono.just("done");
        }

        @DistributedLock(name = "feed")
        public Mono<String> none() {
            return Mono.empty();
        }
    }
}
