package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A lock that is acquired inside a transaction is held until the transaction has completed. */
class EnclosingTransactionTest {

    @AutoClose
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Orders.class);

    private final Orders orders = this.context.getBean(Orders.class);

    private final JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);

    private final LockRegistry registry = this.context.getBean(LockRegistry.class);

    private final TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);

    @Test
    void shouldHoldTheLockUntilTheCommit() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.insert();
            assertThat(isLocked()).isTrue();
            assertThat(this.registry.getLock("orders").isHeldByCurrentThread()).isTrue();
        });

        assertThat(isLocked()).isFalse();
        assertThat(this.registry.getLock("orders").getHoldCount()).isZero();
        assertThat(Shop.orders(this.jdbc)).isEqualTo(1);
    }

    @Test
    void shouldHoldNoneOfSeveralIfOneIsNotGranted() throws Exception {
        try (Lease taken = this.registry.acquire(LockRequest.of("stock"))) {
            this.transactions.executeWithoutResult(status -> {
                assertThatThrownBy(this.orders::insertOfStock)
                        .isInstanceOf(LockNotGrantedException.class)
                        .hasMessageContaining(taken.name());
                assertThat(isLocked()).isFalse();
            });
        }

        this.transactions.executeWithoutResult(status -> {
            this.orders.insertOfStock();
            assertThat(isLocked()).isTrue();
            assertThat(this.registry.getLock("stock").isLocked()).isTrue();
        });
        assertThat(isLocked()).isFalse();
        assertThat(this.registry.getLock("stock").isLocked()).isFalse();
    }

    @Test
    void shouldHoldTheLockOnceForSeveralCalls() {
        this.transactions.executeWithoutResult(status -> {
            for (int i = 0; i < 10; i++) {
                this.orders.insert();
            }
            assertThat(this.registry.getLock("orders").getHoldCount()).isEqualTo(1);
        });

        assertThat(isLocked()).isFalse();
    }

    @Test
    void shouldRenewTheLocksItHolds() {
        this.transactions.executeWithoutResult(status -> {
            Lease lease = this.orders.insert();
            assertThat(lease.lost().toCompletableFuture())
                    .as("longer than a lease lasts")
                    .failsWithin(1500, TimeUnit.MILLISECONDS);
            assertThat(lease.isHeld()).isTrue();
        });
    }

    @Test
    void shouldReleaseWhenTheMethodReturnsIfConfigured() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.insertAndRelease();
            assertThat(isLocked()).isFalse();
        });
    }

    @Test
    void shouldReleaseWithTheTransactionOfTheAcquisition() {
        TransactionTemplate inner = new TransactionTemplate(this.transactions.getTransactionManager());
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        this.transactions.executeWithoutResult(outer -> {
            inner.executeWithoutResult(status -> this.orders.insert());
            assertThat(isLocked()).isFalse();
        });
    }

    @Test
    void shouldRejectTheCommitIfTheLockIsLostAfterTheMethod() {
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> loseAfter(this.orders.insert())))
                .isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
        assertThat(this.registry.getLock("orders").getHoldCount()).isZero();
    }

    @Test
    void shouldRejectTheCommitIfOneOfSeveralCallsDoesNotIgnoreLosses() {
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> {
                    this.orders.insertAndIgnoreLosses();
                    loseAfter(this.orders.insert());
                }))
                .isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRenewForNoLongerThanTheMethodAllows() {
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> this.orders.insertTooSlowly()))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("maxHold");

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    private void loseAfter(Lease lease) {
        this.registry.getLock("orders").forceUnlock();
        lease.lost().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    private boolean isLocked() {
        return this.registry.getLock("orders").isLocked();
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(name = "orders")
        public Lease insert() {
            Shop.insert(this.jdbc);
            return LeaseContext.required();
        }

        @DistributedLock(name = "orders", onLost = OnLost.IGNORE)
        public void insertAndIgnoreLosses() {
            Shop.insert(this.jdbc);
        }

        @DistributedLock(name = "orders", maxHold = 100)
        public void insertTooSlowly() {
            Shop.insert(this.jdbc);
            LeaseContext.required()
                    .lost()
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        }

        @DistributedLock(name = "stock", waitTime = 0)
        @DistributedLock(name = "orders", waitTime = 0)
        public void insertOfStock() {
            Shop.insert(this.jdbc);
        }

        @DistributedLock(name = "orders", releaseAfterTransaction = false)
        public void insertAndRelease() {
            Shop.insert(this.jdbc);
        }
    }
}
