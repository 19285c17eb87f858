package io.github.lockstarter.store.redis;

import static io.github.lockstarter.store.redis.ConnectedStore.acquire;
import static io.github.lockstarter.store.redis.ConnectedStore.release;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.redis.ConnectedStore.Way;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Locks over the application's connection while Spring Data has bound one to the thread, which collects commands
 * instead of executing them: the store takes another one.
 */
@RedisTest
class BoundConnectionTest {

    private static final RedisStoreSettings SETTINGS =
            new RedisStoreSettings("shop", Duration.ofSeconds(1), false, Duration.ofSeconds(1));

    private static final TransactionTemplate TRANSACTIONS = new TransactionTemplate(
            new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:bound;DB_CLOSE_DELAY=-1")));

    private final RedisServer server;

    private final RedisCli redis;

    private @Nullable AutoCloseable client;

    BoundConnectionTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @AfterEach
    void closeClient() throws Exception {
        if (this.client != null) {
            this.client.close();
        }
    }

    enum Client {
        JEDIS,
        LETTUCE,
        LETTUCE_WITHOUT_SHARING
    }

    /** Returns a factory whose pool has so many connections. */
    private RedisConnectionFactory factory(Client kind, int connections) {
        RedisStandaloneConfiguration at = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
        if (kind == Client.JEDIS) {
            JedisConnectionFactory jedis = new JedisConnectionFactory(
                    at,
                    JedisClientConfiguration.builder()
                            .usePooling()
                            .poolConfig(sizeOf(connections))
                            .build());
            jedis.afterPropertiesSet();
            jedis.start();
            this.client = jedis::destroy;
            return jedis;
        }
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory(
                at,
                LettucePoolingClientConfiguration.builder()
                        .poolConfig(sizeOf(connections))
                        .build());
        lettuce.setShareNativeConnection(kind == Client.LETTUCE);
        lettuce.afterPropertiesSet();
        lettuce.start();
        this.client = lettuce::destroy;
        return lettuce;
    }

    private static <T> GenericObjectPoolConfig<T> sizeOf(int connections) {
        GenericObjectPoolConfig<T> size = new GenericObjectPoolConfig<>();
        size.setMaxTotal(connections);
        return size;
    }

    /** What binds a connection to the thread of the work. */
    enum Bound {
        TRANSACTION {
            @Override
            void run(StringRedisTemplate template, Runnable work) {
                template.setEnableTransactionSupport(true);
                TRANSACTIONS.executeWithoutResult(status -> {
                    template.opsForValue().set("written", "in the transaction");
                    work.run();
                });
            }
        },
        MULTI {
            @Override
            void run(StringRedisTemplate template, Runnable work) {
                template.execute(new InSession(operations -> {
                    operations.multi();
                    work.run();
                    operations.exec();
                }));
            }
        },
        PIPELINE {
            @Override
            void run(StringRedisTemplate template, Runnable work) {
                template.executePipelined(new InSession(operations -> work.run()));
            }
        },
        SESSION {
            @Override
            void run(StringRedisTemplate template, Runnable work) {
                template.execute(new InSession(operations -> work.run()));
            }
        };

        abstract void run(StringRedisTemplate template, Runnable work);
    }

    private record InSession(Consumer<RedisOperations<?, ?>> body) implements SessionCallback<Object> {

        @Override
        public <K, V> Object execute(RedisOperations<K, V> operations) throws DataAccessException {
            this.body.accept(operations);
            return null;
        }
    }

    static Stream<Arguments> all() {
        return Stream.of(Client.values())
                .flatMap(client -> Stream.of(Bound.values()).map(bound -> Arguments.of(client, bound)));
    }

    private ConnectedStore store(RedisConnectionFactory factory) {
        return new ConnectedStore("one", Servers.of(this.server), factory, SETTINGS).connected();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldAcquireAndReleaseOverAnotherConnection(Client client, Bound bound) {
        RedisConnectionFactory factory = factory(client, 3);
        try (ConnectedStore store = store(factory)) {
            List<String> locks = IntStream.range(0, 5).mapToObj(i -> "a" + i).toList();
            bound.run(
                    new StringRedisTemplate(factory),
                    () -> locks.forEach(lock -> {
                        store.granted(lock, "me");
                        assertThat(this.redis.exists("shop:{" + lock + "}"))
                                .as("held at once")
                                .isTrue();
                        assertThat(store.call(release(lock, "me"))).isEqualTo(Reply.Released.INSTANCE);
                    }));

            assertThat(locks)
                    .as("nothing is executed later")
                    .noneMatch(lock -> this.redis.exists("shop:{" + lock + "}"));
        }
    }

    /** Whose own limit for the wait is none. */
    @ParameterizedTest
    @EnumSource(names = "LETTUCE", mode = EnumSource.Mode.EXCLUDE)
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void shouldNotWaitForTheOnlyConnectionOfAPool(Client client) {
        RedisConnectionFactory factory = factory(client, 1);
        try (ConnectedStore store = store(factory)) {
            Bound.TRANSACTION.run(new StringRedisTemplate(factory), () -> {
                LockStoreException failure = store.failure(Way.CALL, acquire("a", "me"));

                assertThat(failure).hasMessageContainingAll("lock 'a'", "pool", "max-active", "transaction");
                assertThat(failure.isOutcomeUnknown()).as("sent").isFalse();
                assertThat(failure.isTransient()).as("waited for").isFalse();
            });

            store.granted("b", "me");
            assertThat(this.redis.exists("shop:{a}")).as("executed later").isFalse();
        }
    }
}
