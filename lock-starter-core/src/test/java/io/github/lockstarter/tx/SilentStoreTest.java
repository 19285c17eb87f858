package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction ends while Redis does not answer: its connection must return to the pool immediately. */
@RedisTest
class SilentStoreTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(3);

    private static final LockRequest BOUND = LockRequest.of("orders").withReleaseAfterTransaction(true);

    private final RedisServer server;

    private final LettuceConnectionFactory factory;

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    SilentStoreTest(RedisServer server) {
        this.server = server;
        this.factory = Servers.of(server);
        this.factory.afterPropertiesSet();
    }

    private void start(boolean privateConnection) {
        RedisStoreSettings settings =
                new RedisStoreSettings("lock", COMMAND_TIMEOUT, privateConnection, Duration.ofMillis(100));
        this.context.registerBean(
                "lockRegistry",
                LeasingLockRegistry.class,
                () -> new LeasingLockRegistry(
                        new RedisLockStore(this.factory, settings),
                        LockSettings.of(Duration.ofSeconds(20)),
                        null,
                        List.of()));
        this.context.registerBean("dataSource", DataSource.class, () -> {
            JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:silent;DB_CLOSE_DELAY=-1", "sa", "");
            pool.setMaxConnections(1);
            return pool;
        });
        this.context.register(Shop.class);
        this.context.refresh();
        await().ignoreExceptions().until(() -> !isLocked());
    }

    @AfterEach
    void stop() {
        this.server.resume();
        new JdbcTemplate(this.context.getBean(DataSource.class)).execute("drop table orders");
        this.context.close();
        this.factory.destroy();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnTheConnectionToThePoolImmediately(boolean privateConnection) {
        start(privateConnection);
        LockRegistry locks = this.context.getBean(LockRegistry.class);
        TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);
        JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);
        long[] end = new long[1];

        transactions.executeWithoutResult(status -> {
            locks.executeWithoutResult(BOUND, lease -> Shop.insert(jdbc));
            assertThat(isLocked()).isTrue();
            this.server.pause();
            end[0] = System.nanoTime();
        });
        assertThat(Shop.orders(jdbc)).as("over the only connection").isEqualTo(1);
        Duration afterwards = Duration.ofNanos(System.nanoTime() - end[0]);
        this.server.resume();

        assertThat(afterwards).isLessThan(COMMAND_TIMEOUT);
        await().until(() -> !isLocked());
    }

    private boolean isLocked() {
        return this.context.getBean(LockRegistry.class).getLock("orders").isLocked();
    }
}
