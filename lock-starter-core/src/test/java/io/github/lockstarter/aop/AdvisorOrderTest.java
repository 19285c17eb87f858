package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class AdvisorOrderTest {

    @ParameterizedTest
    @ValueSource(classes = {ClassProxies.class, InterfaceProxies.class, AspectProxies.class})
    void shouldAcquireBeforeTheTransactionAndReleaseAfterIt(Class<?> proxies) {
        try (LockedContext context = LockedContext.of(proxies, Transactions.class, TransactionalStock.class)) {
            Stock stock = context.getBean(Stock.class);

            stock.take("a");

            assertThat(AopUtils.isJdkDynamicProxy(stock)).isEqualTo(proxies == InterfaceProxies.class);
            assertThat(context.registry.events)
                    .containsExactly("lock stock:a", "begin", "body in transaction", "commit", "unlock stock:a");
        }
    }

    @Test
    void shouldHoldTheLockUntilAfterARollback() {
        try (LockedContext context =
                LockedContext.of(ClassProxies.class, Transactions.class, TransactionalStock.class)) {
            Stock stock = context.getBean(Stock.class);

            assertThatThrownBy(() -> stock.take("none")).isInstanceOf(IllegalStateException.class);

            assertThat(context.registry.events)
                    .containsExactly(
                            "lock stock:none", "begin", "body in transaction", "rollback", "unlock stock:none");
        }
    }

    @Test
    void shouldAcquireInsideTheTransactionIfConfigured() {
        try (LockedContext context = LockedContext.with(
                processor -> processor.setLockOrder(Integer.MAX_VALUE),
                ClassProxies.class,
                Transactions.class,
                TransactionalStock.class)) {
            context.getBean(Stock.class).take("a");

            assertThat(context.registry.events)
                    .containsExactly(
                            "begin",
                            "lock stock:a",
                            "lock of kept stock:a",
                            "body in transaction",
                            "unlock stock:a",
                            "commit",
                            "unlock of kept stock:a");
        }
    }

    @Test
    void shouldBeInsideOfAspectsWithAnOrderAndOutsideOfThoseWithout() {
        try (LockedContext context =
                LockedContext.of(Aspects.class, Security.class, Audit.class, TransactionalStock.class)) {
            context.getBean(Stock.class).take("a");

            assertThat(context.registry.events)
                    .containsExactly(
                            "security", "lock stock:a", "audit", "body", "audit ended", "unlock stock:a", "allowed");
        }
    }

    @Test
    void shouldLockInTheThreadOfAnAsynchronousMethod() throws InterruptedException {
        try (LockedContext context = LockedContext.of(AsyncMethods.class, Mailer.class)) {
            CountDownLatch callerReturned = new CountDownLatch(1);
            CountDownLatch sent = new CountDownLatch(1);

            context.getBean(Mailer.class).send(callerReturned, sent);

            // The lock is held while the caller goes on, by the thread that does the work.
            callerReturned.countDown();
            assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(context.registry.threads).extracting(Thread::getName).containsExactly("mail-1");
        }
    }

    @EnableTransactionManagement(proxyTargetClass = true)
    static class ClassProxies {}

    @EnableTransactionManagement
    static class InterfaceProxies {}

    @EnableAspectJAutoProxy(proxyTargetClass = true)
    @EnableTransactionManagement
    static class AspectProxies {}

    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class Aspects {}

    static class Transactions {

        @Bean
        static DataSource dataSource() {
            return new DriverManagerDataSource("jdbc:h2:mem:orders");
        }

        @Bean
        static JdbcTransactionManager transactionManager(DataSource dataSource, RecordingRegistry registry) {
            return new RecordingTransactionManager(dataSource, registry.events);
        }
    }

    @SuppressWarnings("serial")
    static class RecordingTransactionManager extends JdbcTransactionManager {

        private final List<String> events;

        RecordingTransactionManager(DataSource dataSource, List<String> events) {
            super(dataSource);
            this.events = events;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            super.doBegin(transaction, definition);
            this.events.add("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            super.doCommit(status);
            this.events.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            super.doRollback(status);
            this.events.add("rollback");
        }
    }

    interface Stock {

        void take(String item);
    }

    static class TransactionalStock implements Stock {

        private final RecordingRegistry registry;

        TransactionalStock(RecordingRegistry registry) {
            this.registry = registry;
        }

        @Override
        @Transactional
        @DistributedLock(name = "stock", key = "#item")
        public void take(String item) {
            boolean active = TransactionSynchronizationManager.isActualTransactionActive();
            this.registry.events.add(active ? "body in transaction" : "body");
            if (item.equals("none")) {
                throw new IllegalStateException();
            }
        }
    }

    @Aspect
    @Order(1)
    static class Security {

        private final RecordingRegistry registry;

        Security(RecordingRegistry registry) {
            this.registry = registry;
        }

        @Around("execution(* take(..))")
        public Object check(ProceedingJoinPoint call) throws Throwable {
            this.registry.events.add("security");
            Object result = call.proceed();
            this.registry.events.add("allowed");
            return result;
        }
    }

    @Aspect
    static class Audit {

        private final RecordingRegistry registry;

        Audit(RecordingRegistry registry) {
            this.registry = registry;
        }

        @Around("execution(* take(..))")
        public Object note(ProceedingJoinPoint call) throws Throwable {
            this.registry.events.add("audit");
            Object result = call.proceed();
            this.registry.events.add("audit ended");
            return result;
        }
    }

    @EnableAsync(proxyTargetClass = true)
    static class AsyncMethods {

        @Bean
        static TaskExecutor taskExecutor() {
            return new SimpleAsyncTaskExecutor("mail-");
        }
    }

    static class Mailer {

        @Async
        @DistributedLock
        public void send(CountDownLatch callerReturned, CountDownLatch sent) throws InterruptedException {
            if (callerReturned.await(10, TimeUnit.SECONDS)) {
                sent.countDown();
            }
        }
    }
}
