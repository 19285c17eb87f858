package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.registry.LockSettings;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;

/**
 * Futures and publishers that are completed by the thread of the Redis client that also reads the answers for the
 * locks. The connections of the application share two threads with those of the locks.
 */
@RedisTest
class ResultOfRedisTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

    private final ClientResources threads = ClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();

    private final LettuceConnectionFactory factory;

    private final RedisClient client;

    private final LockedContext app;

    private final Reports reports;

    ResultOfRedisTest(RedisServer server) {
        this.factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(server.host(), server.port()),
                LettuceClientConfiguration.builder()
                        .clientResources(this.threads)
                        .build());
        this.factory.afterPropertiesSet();
        this.client = RedisClient.create(this.threads, RedisURI.create(server.host(), server.port()));
        this.app = LockedContext.on(
                new RedisLockStore(
                        this.factory, new RedisStoreSettings("lock", COMMAND_TIMEOUT, true, COMMAND_TIMEOUT)),
                LockSettings.of(COMMAND_TIMEOUT),
                Reports.class);
        this.reports = this.app.getBean(Reports.class);
        // The first connection can take long.
        await().ignoreExceptions()
                .atMost(Duration.ofSeconds(20))
                .until(() -> this.reports
                        .future("", CompletableFuture.completedFuture(""))
                        .get(20, TimeUnit.SECONDS)
                        .isEmpty());
    }

    @AfterEach
    void stop() throws Exception {
        this.app.close();
        this.client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
        this.factory.destroy();
        this.threads.shutdown(0, 5, TimeUnit.SECONDS).get(20, TimeUnit.SECONDS);
    }

    /** More results than threads of any kind: no release may block the thread that completes them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotBlockTheThreadThatReadsTheAnswersOfRedis(boolean reactive) {
        // With more connections than threads, one of them shares its thread with the lock.
        for (int connection = 0; connection < 3; connection++) {
            StatefulRedisConnection<String, String> own = this.client.connect();
            CompletableFuture<String> signal = new CompletableFuture<>();
            List<CompletableFuture<String>> all = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                all.add(reactive ? this.reports.mono("" + i, signal).toFuture() : this.reports.future("" + i, signal));
            }
            await().until(() -> this.app.registry.active() == 1000);

            CompletionStage<?> unused = own.async().ping().thenAccept(signal::complete);

            assertThat(own.async().ping().toCompletableFuture())
                    .as("the next answer is read although a thousand locks are being released")
                    .succeedsWithin(Duration.ofSeconds(20));
            assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)))
                    .succeedsWithin(Duration.ofSeconds(20));
            assertThat(this.app.registry.active()).isZero();
        }
    }

    static class Reports {

        @DistributedLock(name = "future", key = "'k' + #number")
        public CompletableFuture<String> future(String number, CompletableFuture<String> signal) {
            return signal;
        }

        @DistributedLock(name = "mono", key = "#number")
        public Mono<String> mono(String number, CompletableFuture<String> signal) {
            return Mono.fromFuture(signal, true);
        }
    }
}
