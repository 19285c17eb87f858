package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnLost;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** No transaction commits after the lock under which it works is lost, whoever began it. */
class CommitGuardTest {

    @AutoClose
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Orders.class, Ledger.class);

    private final Orders orders = this.context.getBean(Orders.class);

    private final JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);

    @Test
    void shouldCommitUnderALockThatIsHeld() {
        this.orders.inTheSameMethod(false);
        this.orders.inANestedBean(false);
        this.orders.inATemplate(false);

        assertThat(Shop.orders(this.jdbc)).isEqualTo(3);
    }

    @Test
    void shouldRefuseTheCommitOfTheMethodItself() {
        assertThatThrownBy(() -> this.orders.inTheSameMethod(true)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRefuseTheCommitOfANestedBean() {
        assertThatThrownBy(() -> this.orders.inANestedBean(true)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRefuseTheCommitOfATemplate() {
        assertThatThrownBy(() -> this.orders.inATemplate(true)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldCommitWhatWasDoneBeforeTheLossByItself() {
        assertThatThrownBy(() -> this.orders.beforeAndAfterTheLoss()).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isEqualTo(1);
    }

    @Test
    void shouldRefuseForTheOuterOfTwoLocksToo() {
        assertThatThrownBy(() -> this.orders.underTwoLocks()).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldCommitIfTheOwnerIgnoresLosses() {
        assertThatCode(() -> this.orders.ignoringLosses()).doesNotThrowAnyException();

        assertThat(Shop.orders(this.jdbc)).isEqualTo(1);
    }

    @Test
    void shouldNotTouchTransactionsAfterTheMethod() {
        assertThatThrownBy(() -> this.orders.inTheSameMethod(true)).isInstanceOf(LockLostException.class);

        this.context.getBean(Ledger.class).write();

        assertThat(Shop.orders(this.jdbc)).isEqualTo(1);
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        private final LockRegistry registry;

        private final TransactionTemplate transactions;

        private final Ledger ledger;

        Orders(JdbcTemplate jdbc, LockRegistry registry, TransactionTemplate transactions, Ledger ledger) {
            this.jdbc = jdbc;
            this.registry = registry;
            this.transactions = transactions;
            this.ledger = ledger;
        }

        @DistributedLock(name = "orders")
        @Transactional
        public void inTheSameMethod(boolean lost) {
            Shop.insert(this.jdbc);
            loseIf(lost);
        }

        @DistributedLock(name = "orders")
        public void inANestedBean(boolean lost) {
            this.ledger.write(() -> loseIf(lost));
        }

        @DistributedLock(name = "orders")
        public void inATemplate(boolean lost) {
            this.transactions.executeWithoutResult(status -> {
                Shop.insert(this.jdbc);
                loseIf(lost);
            });
        }

        @DistributedLock(name = "orders")
        public void beforeAndAfterTheLoss() {
            this.ledger.write();
            loseIf(true);
            this.ledger.write();
        }

        @DistributedLock(name = "orders")
        public void underTwoLocks() {
            this.ledger.writeUnderAnotherLock(this.registry.getLock("orders"));
        }

        @DistributedLock(name = "orders", onLost = OnLost.IGNORE)
        public void ignoringLosses() {
            this.ledger.write(() -> loseIf(true));
        }

        private void loseIf(boolean lost) {
            if (lost) {
                Shop.loseTheLock(this.registry);
            }
        }
    }

    static class Ledger {

        private final JdbcTemplate jdbc;

        Ledger(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void write() {
            Shop.insert(this.jdbc);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void write(Runnable then) {
            Shop.insert(this.jdbc);
            then.run();
        }

        @DistributedLock(name = "ledger")
        @Transactional
        public void writeUnderAnotherLock(LeaseLock outer) {
            Shop.insert(this.jdbc);
            outer.forceUnlock();
            outer.currentLease()
                    .lost()
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        }
    }
}
