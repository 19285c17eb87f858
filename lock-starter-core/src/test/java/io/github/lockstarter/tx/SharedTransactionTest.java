package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Readers and permits that are acquired inside a transaction are held until it has completed. */
@RedisTest
class SharedTransactionTest {

    private final LettuceConnectionFactory factory;

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    private final Orders orders;

    private final LeasingLockRegistry registry;

    /** Another instance of the application. */
    private final LeasingLockRegistry other;

    private final TransactionTemplate transactions;

    private final JdbcTemplate jdbc;

    SharedTransactionTest(RedisServer server) {
        this.factory = Servers.of(server);
        this.factory.afterPropertiesSet();
        this.factory.start();
        this.other = newRegistry();
        this.context.registerBean("lockRegistry", LeasingLockRegistry.class, this::newRegistry);
        this.context.register(Shop.class, Orders.class);
        this.context.refresh();
        this.orders = this.context.getBean(Orders.class);
        this.registry = this.context.getBean(LeasingLockRegistry.class);
        this.transactions = this.context.getBean(TransactionTemplate.class);
        this.jdbc = this.context.getBean(JdbcTemplate.class);
    }

    private LeasingLockRegistry newRegistry() {
        RedisStoreSettings settings =
                new RedisStoreSettings("lock", Duration.ofSeconds(3), true, Duration.ofMillis(500));
        return new LeasingLockRegistry(
                new RedisLockStore(this.factory, settings), LockSettings.of(Duration.ofSeconds(3)), null, List.of());
    }

    @AfterEach
    void stop() {
        this.context.close();
        this.other.stop();
        this.factory.destroy();
    }

    @Test
    void shouldHoldAReaderUntilTheCommit() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.read();
            this.orders.read();

            assertThat(mine().readLock().getHoldCount()).isEqualTo(1);
            assertThat(canRead()).isTrue();
            assertThat(canWrite()).isFalse();
        });

        assertReleased();
    }

    @Test
    void shouldHoldAReaderInAWriterOfOneTransaction() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.write(this.orders::read);

            assertThat(canRead()).isFalse();
            this.orders.read();
            assertThat(canRead()).isFalse();
            assertThat(mine().writeLock().getHoldCount()).isEqualTo(1);
        });

        assertReleased();
        assertThat(Shop.orders(this.jdbc)).isEqualTo(3);
    }

    @Test
    void shouldRejectTheCommitAfterTheLossOfAReaderOrOfPermits() {
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> lose(this.orders.read())))
                .isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> lose(this.orders.ship())))
                .isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
        assertReleased();
    }

    @Test
    void shouldRefuseToWriteAfterReadingInOneTransaction() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.read();
            assertThatThrownBy(() -> this.orders.write(() -> null)).isInstanceOf(IllegalStateException.class);
        });

        assertReleased();
    }

    private void lose(Lease lease) {
        this.other.getLock(lease.name()).forceUnlock();
        lease.lost().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    private LeaseReadWriteLock mine() {
        return this.registry.getReadWriteLock("orders");
    }

    private boolean canRead() {
        return canLock(this.other.getReadWriteLock("orders").readLock());
    }

    private boolean canWrite() {
        return canLock(this.other.getReadWriteLock("orders").writeLock());
    }

    private static boolean canLock(LeaseLock lock) {
        boolean locked = lock.tryLock();
        if (locked) {
            lock.unlock();
        }
        return locked;
    }

    private void assertReleased() {
        await().until(() -> !this.other.getLock("orders").isLocked());
        assertThat(mine().readLock().getHoldCount()).isZero();
        assertThat(mine().writeLock().getHoldCount()).isZero();
        assertThat(this.registry.active()).isZero();
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(name = "orders", mode = LockMode.READ)
        public Lease read() {
            Shop.insert(this.jdbc);
            return LeaseContext.required();
        }

        @DistributedLock(name = "orders")
        public Lease write(Supplier<Lease> inside) {
            Shop.insert(this.jdbc);
            return inside.get();
        }

        @DistributedSemaphore(name = "vans", permits = 3, weight = 2)
        public Lease ship() {
            Shop.insert(this.jdbc);
            return LeaseContext.required();
        }
    }
}
