package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.lettuce.core.RedisClient;
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

/** A future that a thread of the Redis client completes: the lock's own answer may need that very thread. */
@RedisTest
class FutureOfRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

    @Test
    void shouldNotWaitForRedisInTheThreadThatReadsItsAnswers(RedisServer server) throws Exception {
        ClientResources threads = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .build();
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(server.host(), server.port()),
                LettuceClientConfiguration.builder().clientResources(threads).build());
        factory.afterPropertiesSet();
        factory.start();
        RedisClient client = RedisClient.create(threads, RedisURI.create(server.host(), server.port()));
        try (RealLocks app = RealLocks.on(
                new RedisLockStore(factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, COMMAND_TIMEOUT)),
                Duration.ofSeconds(30),
                Reports.class)) {
            Reports reports = app.bean(Reports.class);
            await().ignoreExceptions()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> reports.none().get(20, TimeUnit.SECONDS) == null);
            // With more connections than threads, one of them shares its thread with the lock.
            for (StatefulRedisConnection<String, String> connection : connections(client)) {
                CompletableFuture<String> all = reports.count(
                        connection.async().blpop(0.1, "nobody fills it").thenApply(String::valueOf));

                assertThat(all).succeedsWithin(Duration.ofSeconds(20));
                assertThat(app.isLocked("report")).isFalse();
            }
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
            factory.destroy();
            threads.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
        }
    }

    private static List<StatefulRedisConnection<String, String>> connections(RedisClient client) {
        List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            connections.add(client.connect());
        }
        return connections;
    }

    static class Reports {

        @DistributedLock(name = "report")
        public CompletableFuture<String> count(CompletionStage<String> entries) {
            return entries.toCompletableFuture();
        }

        @DistributedLock(name = "report")
        public CompletableFuture<String> none() {
            return Mono.<String>empty().toFuture();
        }
    }
}
