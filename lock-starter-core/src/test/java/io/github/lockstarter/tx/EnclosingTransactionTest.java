package io.github.lockstarter.tx;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Locks, readers and permits that are acquired inside a transaction, by an annotated method or on request in code, are
 * held until the transaction has completed.
 */
@Timeout(120)
class EnclosingTransactionTest {

    private static final LockRequest BOUND = LockRequest.of("orders").withReleaseAfterTransaction(true);

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Orders.class);

    private final Orders orders = this.context.getBean(Orders.class);

    private final JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);

    private final LeasingLockRegistry registry = this.context.getBean(LeasingLockRegistry.class);

    private final TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);

    @AfterEach
    void assertThatNothingIsHeld() {
        assertThat(isLocked()).isFalse();
        assertThat(readWriteLock().readLock().getHoldCount()).isZero();
        assertThat(readWriteLock().writeLock().getHoldCount()).isZero();
        assertThat(this.registry.active()).isZero();
        this.context.close();
    }

    private LeaseReadWriteLock readWriteLock() {
        return this.registry.getReadWriteLock("orders");
    }

    private boolean isLocked() {
        return this.registry.getLock("orders").isLocked();
    }

    /** Another thread can acquire it, with one attempt. */
    private boolean isFree(LockMode mode) {
        return CompletableFuture.supplyAsync(() -> {
                    try (Lease lease = this.registry
                            .tryAcquire(LockRequest.of("orders").withMode(mode).withWaitTime(Duration.ZERO))
                            .orElse(null)) {
                        return lease != null;
                    } catch (InterruptedException ex) {
                        throw new AssertionError(ex);
                    }
                })
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private Lease acquire(LockRequest request) {
        try {
            return this.registry.acquire(request);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void shouldHoldTheLockOnceUntilTheCommit() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.insert();
            this.orders.insert();
            assertThat(isFree(LockMode.WRITE)).isFalse();
            assertThat(this.registry.getLock("orders").getHoldCount()).isEqualTo(1);
        });

        assertThat(Shop.orders(this.jdbc)).isEqualTo(2);
    }

    @Test
    void shouldHoldTheLockUntilTheRollback() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.insert();
            status.setRollbackOnly();
            assertThat(isLocked()).isTrue();
        });

        assertThat(Shop.orders(this.jdbc)).isZero();
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
        assertThat(this.registry.getLock("stock").isLocked()).isFalse();
    }

    @Test
    void shouldRenewTheLocksItHolds() {
        this.transactions.executeWithoutResult(status -> {
            Lease lease = this.orders.insert();
            Duration[] left = {lease.remaining()};
            soon().untilAsserted(() -> {
                Duration before = left[0];
                left[0] = lease.remaining();
                assertThat(left[0]).as("rest of the lease after a renewal").isGreaterThan(before);
            });
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
    void shouldHoldAReaderInAWriterOfOneTransaction() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.write(this.orders::read);
            this.orders.read();
            assertThat(isFree(LockMode.READ)).isFalse();
            assertThat(readWriteLock().writeLock().getHoldCount()).isEqualTo(1);
        });

        assertThat(Shop.orders(this.jdbc)).isEqualTo(3);
    }

    @Test
    void shouldHoldAReaderAndRefuseToWrite() {
        this.transactions.executeWithoutResult(status -> {
            this.orders.read();
            this.orders.read();
            assertThat(readWriteLock().readLock().getHoldCount()).isEqualTo(1);
            assertThat(isFree(LockMode.READ)).isTrue();
            assertThat(isFree(LockMode.WRITE)).isFalse();
            assertThatThrownBy(() -> this.orders.write(() -> null)).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void shouldRejectTheCommitIfTheLockIsLostAfterTheMethod() {
        assertThatCommitIsRejected(() -> Shop.lose(this.registry, this.orders.insert()));
        assertThatCommitIsRejected(() -> Shop.lose(this.registry, this.orders.read()));
        assertThatCommitIsRejected(() -> Shop.lose(this.registry, this.orders.ship()));
        assertThatCommitIsRejected(() -> {
            this.orders.insertAndIgnoreLosses();
            Shop.lose(this.registry, this.orders.insert());
        });
        assertThatCommitIsRejected(this.orders::insertTooSlowly);
        assertThatCommitIsRejected(() -> {
            Shop.insert(this.jdbc);
            Shop.lose(this.registry, this.registry.execute(BOUND, lease -> lease));
        });
        assertThatCommitIsRejected(() -> {
            Shop.insert(this.jdbc);
            try (Lease lease = acquire(BOUND)) {
                Shop.lose(this.registry, lease);
            }
        });
    }

    @Test
    void shouldHoldTheLockOfABodyUntilTheCommit() {
        Lease used = this.transactions.execute(status -> {
            Lease lease = this.registry.execute(BOUND, held -> held);
            assertThat(lease.isHeld()).isTrue();
            assertThat(isLocked()).isTrue();
            return lease;
        });

        assertThat(used.isHeld()).isFalse();
        assertThat(isLocked()).isFalse();
        assertThat(this.registry.getLock("orders").getHoldCount()).isZero();
    }

    @Test
    void shouldHoldSeveralLocksUntilTheCommit() {
        List<LockRequest> requests = List.of(BOUND, LockRequest.of("stock"));

        this.transactions.executeWithoutResult(status -> {
            this.registry.executeWithoutResult(requests, lease -> {});
            assertThat(isLocked()).isTrue();
            assertThat(this.registry.getLock("stock").isLocked())
                    .as("has not requested it")
                    .isFalse();
        });

        assertThat(isLocked()).isFalse();
    }

    @Test
    void shouldHoldALeaseThatIsClosedUntilTheCommit() {
        Lease used = this.transactions.execute(status -> {
            Lease closed;
            try (Lease lease = acquire(BOUND)) {
                closed = lease;
            }
            assertThat(closed.isHeld()).isTrue();
            assertThat(closed.state()).isEqualTo(Lease.State.HELD);
            assertThat(closed.release()).as("its work is done, and it is held").isTrue();
            assertThat(isLocked()).isTrue();
            return closed;
        });

        assertThat(used.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(isLocked()).isFalse();
    }

    @Test
    void shouldCompleteAReleaseWhenTheTransactionHas() {
        CompletionStage<Boolean> released = this.transactions.execute(status -> {
            CompletionStage<Boolean> promise = acquire(BOUND).releaseAsync();
            assertThat(promise.toCompletableFuture()).isNotDone();
            return promise;
        });

        assertThat(released.toCompletableFuture())
                .succeedsWithin(10, TimeUnit.SECONDS)
                .isEqualTo(true);
    }

    @Test
    void shouldKeepALockForItsDelayAfterTheTransaction() {
        this.transactions.executeWithoutResult(status -> {
            Lease lease = acquire(BOUND);
            assertThat(lease.releaseAfter(Duration.ofMinutes(1))).isTrue();
            lease.close();
        });

        assertThat(isLocked()).as("without an owner").isTrue();
        this.registry.getLock("orders").forceUnlock();
    }

    @Test
    void shouldReleaseAtOnceUnlessRequested() {
        this.transactions.executeWithoutResult(status -> {
            this.registry.executeWithoutResult(LockRequest.of("orders"), lease -> {});
            assertThat(isLocked()).isFalse();
            acquire(LockRequest.of("orders").withReleaseAfterTransaction(false)).close();
            assertThat(isLocked()).isFalse();
        });
    }

    /** There is a scope that reports its completion, and nothing in it that could be committed. */
    @Test
    void shouldReleaseAtTheEndOfTheCallIfThereIsNoTransactionToSupport() {
        TransactionTemplate scope = new TransactionTemplate(this.transactions.getTransactionManager());
        scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);

        scope.executeWithoutResult(status -> {
            this.orders.insert();
            assertThat(isLocked()).as("lock after an annotated method").isFalse();
            acquire(BOUND).close();
            assertThat(isLocked())
                    .as("lock after a lease that a transaction would keep")
                    .isFalse();
            this.registry.executeWithoutResult(BOUND, lease -> {});
            assertThat(isLocked()).as("lock after a body").isFalse();
        });
    }

    private void assertThatCommitIsRejected(Runnable work) {
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> work.run()))
                .isInstanceOf(LockLostException.class);
        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        private Lease inserted() {
            Shop.insert(this.jdbc);
            return LeaseContext.required();
        }

        @DistributedLock(name = "orders")
        public Lease insert() {
            return inserted();
        }

        @DistributedLock(name = "orders", onLost = OnLost.IGNORE)
        public void insertAndIgnoreLosses() {
            Shop.insert(this.jdbc);
        }

        @DistributedLock(name = "orders", lease = 300)
        public void insertTooSlowly() {
            inserted()
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

        @DistributedLock(name = "orders", mode = LockMode.READ)
        public Lease read() {
            return inserted();
        }

        @DistributedLock(name = "orders")
        public Lease write(Supplier<Lease> inside) {
            Shop.insert(this.jdbc);
            return inside.get();
        }

        @DistributedSemaphore(name = "vans", permits = 3, weight = 2)
        public Lease ship() {
            return inserted();
        }
    }
}
