package io.github.lockstarter.aop.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.aop.RealLocks;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;

/** A future that is completed by the thread of the Redis client that also reads the answers for the lock. */
@RedisTest
class FutureOfRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

    @Test
    void shouldNotBlockTheThreadThatReadsTheAnswersOfRedis(RedisServer server) throws Exception {
        try (Application application = new Application(server)) {
            Reports reports = application.locks.bean(Reports.class);
            for (StatefulRedisConnection<String, String> connection : application.connections) {
                CompletableFuture<String> all = reports.count(
                        connection.async().blpop(0.1, "nobody fills it").thenApply(String::valueOf));

                assertThat(all).succeedsWithin(Duration.ofSeconds(20));
                assertThat(application.locks.isLocked("report")).isFalse();
            }
        }
    }

    /** More futures than threads of any kind: no release may block the thread that completes them. */
    @Test
    void shouldNotBlockThatThreadWithAnyNumberOfFutures(RedisServer server) throws Exception {
        try (Application application = new Application(server)) {
            Reports reports = application.locks.bean(Reports.class);
            for (StatefulRedisConnection<String, String> connection : application.connections) {
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
                assertThat(application.locks.registry.active()).isZero();
            }
        }
    }

    /** An application whose connections share two threads with those of the locks. */
    private static final class Application implements AutoCloseable {

        private final ClientResources threads = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();

        private final LettuceConnectionFactory factory;

        private final RedisClient client;

        /** With more connections than threads, one of them shares its thread with the lock. */
        private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();

        private final RealLocks locks;

        Application(RedisServer server) {
            this.factory = new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration(server.host(), server.port()),
                    LettuceClientConfiguration.builder()
                            .clientResources(this.threads)
                            .build());
            this.factory.afterPropertiesSet();
            this.factory.start();
            this.client = RedisClient.create(this.threads, RedisURI.create(server.host(), server.port()));
            this.locks = RealLocks.on(
                    new RedisLockStore(
                            this.factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, COMMAND_TIMEOUT)),
                    Duration.ofSeconds(30),
                    Reports.class);
            await().ignoreExceptions()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> this.locks.bean(Reports.class).none().get(20, TimeUnit.SECONDS) == null);
            for (int i = 0; i < 3; i++) {
                this.connections.add(this.client.connect());
            }
        }

        @Override
        public void close() throws Exception {
            this.locks.close();
            this.client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
            this.factory.destroy();
            this.threads.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
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
