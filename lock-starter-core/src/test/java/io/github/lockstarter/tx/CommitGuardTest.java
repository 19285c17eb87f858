package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.testsupport.LogCapture;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** No transaction commits after the loss of its lock, regardless of how it was begun. */
class CommitGuardTest {

    @AutoClose
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Managers.class, Orders.class);

    private final Orders orders = this.context.getBean(Orders.class);

    private final JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);

    private TransactionTemplate template(String manager) {
        return new TransactionTemplate(this.context.getBean(manager, PlatformTransactionManager.class));
    }

    @Test
    void shouldCommitUnderALockThatIsHeldOrWhoseLossIsIgnored() {
        this.orders.inTheSameMethod(false);
        this.orders.inATemplate(template("transactionManager"), false);
        this.orders.ignoringLosses(template("transactionManager"));
        template("transactionManager")
                .executeWithoutResult(status -> this.orders.ignoringLossesUntilTheEndOfTheTransaction());
        template("transactionManager").executeWithoutResult(status -> this.orders.ignoringTheLossOfALease());

        assertThat(Shop.orders(this.jdbc)).isEqualTo(5);
    }

    @Test
    void shouldRejectTheCommitOfTheMethodItself() {
        assertThatThrownBy(() -> this.orders.inTheSameMethod(true)).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> this.orders.laterInTheSameMethod()).isInstanceOf(LockLostException.class);
        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"transactionManager", "made", "hidden", "early"})
    void shouldRejectTheCommitOfAManager(String name) {
        assertThatThrownBy(() -> this.orders.inATemplate(template(name), true)).isInstanceOf(LockLostException.class);
        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRejectAfterTheLossOfTheOuterOfTwoLocks() {
        assertThatThrownBy(() -> this.orders.underAnotherLock(this.orders::whileItIsLost))
                .isInstanceOf(LockLostException.class);
        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    /**
     * Both calls have the same lease, on which the transaction of the outer one depends after the end of the inner one.
     */
    @Test
    void shouldRejectAfterTheEndOfACallThatHasEnteredTheLockAgain() {
        TransactionTemplate transactions = template("transactionManager");

        assertThatThrownBy(() ->
                        this.orders.inATemplateAfter(() -> this.orders.inATemplate(transactions, false), transactions))
                .isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc))
                .as("orders of the inner call, and none of the outer one, whose lock was lost")
                .isEqualTo(1);
    }

    @Test
    void shouldNotWarnOfAReactiveManager() {
        try (LogCapture log = new LogCapture(CommitGuard.class.getName())) {
            CommitGuard guard = new CommitGuard();
            TransactionManager reactive = new TransactionManager() {};
            assertThat(guard.postProcessAfterInitialization(reactive, "reactive"))
                    .isSameAs(reactive);
            assertThat(log.with(""))
                    .as("warnings of a manager whose transactions have no thread")
                    .isEmpty();
        }
    }

    /** Transaction managers that do not go the usual way of a bean. */
    @Configuration(proxyBeanMethods = false)
    static class Managers {

        @Bean(autowireCandidate = false)
        static FactoryBean<JdbcTransactionManager> made(DataSource dataSource) {
            return new FactoryBean<>() {
                @Override
                public JdbcTransactionManager getObject() {
                    return new JdbcTransactionManager(dataSource);
                }

                @Override
                public Class<?> getObjectType() {
                    return JdbcTransactionManager.class;
                }
            };
        }

        @Bean(autowireCandidate = false)
        static PlatformTransactionManager hidden(DataSource dataSource) {
            ProxyFactory proxy = new ProxyFactory();
            proxy.setInterfaces(PlatformTransactionManager.class);
            proxy.setTarget(new JdbcTransactionManager(dataSource));
            return (PlatformTransactionManager) proxy.getProxy();
        }

        @Bean(autowireCandidate = false)
        static JdbcTransactionManager early(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        /** Needs a transaction manager before most post-processors are there. */
        @Bean
        static ImpatientPostProcessor impatient(BeanFactory beans) {
            Object unused = beans.getBean("early");
            return new ImpatientPostProcessor();
        }
    }

    static class ImpatientPostProcessor implements BeanPostProcessor, Ordered {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        private final LockRegistry registry;

        Orders(JdbcTemplate jdbc, LockRegistry registry) {
            this.jdbc = jdbc;
            this.registry = registry;
        }

        @DistributedLock(name = "orders")
        @Transactional
        public void inTheSameMethod(boolean lost) {
            insert(lost);
        }

        @DistributedLock(name = "orders")
        @Transactional
        public CompletableFuture<String> laterInTheSameMethod() {
            insert(true);
            return new CompletableFuture<>();
        }

        @DistributedLock(name = "orders")
        public void inATemplate(TransactionTemplate transactions, boolean lost) {
            transactions.executeWithoutResult(status -> insert(lost));
        }

        @DistributedLock(name = "orders")
        public void inATemplateAfter(Runnable call, TransactionTemplate transactions) {
            call.run();
            transactions.executeWithoutResult(status -> insert(true));
        }

        @DistributedLock(name = "orders", onLost = OnLost.IGNORE)
        public void ignoringLosses(TransactionTemplate transactions) {
            transactions.executeWithoutResult(status -> insert(true));
        }

        @DistributedLock(name = "orders", onLost = OnLost.IGNORE, releaseAfterTransaction = true)
        public void ignoringLossesUntilTheEndOfTheTransaction() {
            insert(true);
        }

        void ignoringTheLossOfALease() {
            LockRequest request =
                    LockRequest.of("orders").withOnLost(OnLost.IGNORE).withReleaseAfterTransaction(true);
            Lease lease = Shop.acquire(this.registry, request);
            Shop.insert(this.jdbc);
            Shop.lose(this.registry, lease);
        }

        @DistributedLock(name = "ledger")
        public void underAnotherLock(Consumer<Lease> body) {
            body.accept(LeaseContext.required());
        }

        @DistributedLock(name = "orders")
        @Transactional
        public void whileItIsLost(Lease outer) {
            Shop.insert(this.jdbc);
            Shop.lose(this.registry, outer);
        }

        private void insert(boolean lost) {
            Shop.insert(this.jdbc);
            if (lost) {
                Shop.lose(this.registry, LeaseContext.required());
            }
        }
    }
}
