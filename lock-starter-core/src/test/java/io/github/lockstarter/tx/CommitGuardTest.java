package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnLost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** No transaction commits after the loss of its lock, regardless of how it was begun. */
class CommitGuardTest {

    @AutoClose
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Managers.class, Orders.class, Ledger.class);

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
    void shouldRejectTheCommitOfTheMethodItself() {
        assertThatThrownBy(() -> this.orders.inTheSameMethod(true)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRejectTheCommitOfANestedBean() {
        assertThatThrownBy(() -> this.orders.inANestedBean(true)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRejectTheCommitOfATemplate() {
        assertThatThrownBy(() -> this.orders.inATemplate(true)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"made", "hidden", "early"})
    void shouldRejectTheCommitOfAManager(String name) {
        TransactionTemplate own = new TransactionTemplate(this.context.getBean(name, PlatformTransactionManager.class));

        assertThatThrownBy(() -> this.orders.in(own)).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRejectTheCommitOfAMethodWithAnIncompleteFuture() {
        assertThatThrownBy(() -> this.orders.laterInTheSameMethod()).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldRejectAfterTheLossOfTheOuterOfTwoLocks() {
        assertThatThrownBy(() -> this.orders.underTwoLocks()).isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    @Test
    void shouldCommitIfLossesAreIgnored() {
        assertThatCode(() -> this.orders.ignoringLosses()).doesNotThrowAnyException();

        assertThat(Shop.orders(this.jdbc)).isEqualTo(1);
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
        public void in(TransactionTemplate own) {
            own.executeWithoutResult(status -> {
                Shop.insert(this.jdbc);
                loseIf(true);
            });
        }

        @DistributedLock(name = "orders")
        @Transactional
        public CompletableFuture<String> laterInTheSameMethod() {
            Shop.insert(this.jdbc);
            loseIf(true);
            return new CompletableFuture<>();
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
