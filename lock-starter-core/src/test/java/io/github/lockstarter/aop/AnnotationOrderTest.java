package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.aop.LockedContext.LockCalls;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import jakarta.validation.constraints.Positive;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

/** The order of the lock and of other annotations on the same method, and how to change it. */
class AnnotationOrderTest {

    @ParameterizedTest
    @ValueSource(classes = {ClassProxies.class, InterfaceProxies.class, AspectProxies.class})
    void shouldAcquireBeforeTheTransactionAndReleaseAfterIt(Class<?> proxies) {
        try (LockedContext context = LockedContext.of(proxies, Transactions.class, TransactionalStock.class)) {
            Stock stock = context.getBean(Stock.class);
            stock.take("a");
            assertThatThrownBy(() -> stock.take("none")).isInstanceOf(IllegalStateException.class);

            assertThat(AopUtils.isJdkDynamicProxy(stock)).isEqualTo(proxies == InterfaceProxies.class);
            assertThat(context.calls.events)
                    .containsExactly(
                            "lock stock:a",
                            "begin",
                            "body in transaction",
                            "commit",
                            "unlock stock:a",
                            "lock stock:none",
                            "begin",
                            "body in transaction",
                            "rollback",
                            "unlock stock:none");
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

            assertThat(context.calls.events)
                    .containsExactly("begin", "lock stock:a", "body in transaction", "unlock stock:a", "commit");
        }
    }

    @Test
    void shouldBeInsideOfAspectsWithAnOrderAndOutsideOfThoseWithout() {
        try (LockedContext context =
                LockedContext.of(Aspects.class, Security.class, Audit.class, TransactionalStock.class)) {
            context.getBean(Stock.class).take("a");

            assertThat(context.calls.events)
                    .containsExactly(
                            "security", "lock stock:a", "audit", "body", "audit ended", "unlock stock:a", "allowed");
        }
    }

    @Test
    void shouldLockInTheThreadOfAnAsynchronousMethod() {
        try (LockedContext context = LockedContext.of(AsyncMethods.class, Mailer.class)) {
            CompletableFuture<String> sent = new CompletableFuture<>();
            context.getBean(Mailer.class).send(sent);

            assertThat(sent).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("mail-1 holds Mailer.send");
        }
    }

    /** Also for a cached result, unless the cache is outside. */
    @Test
    void shouldAcquireOutsideOfTheCacheUnlessConfigured() {
        List<String> once = List.of("lock price:a", "worked out", "unlock price:a");
        assertThat(eventsOfTwoCalls(Integer.MAX_VALUE - 100, CachesInside.class))
                .containsExactly("lock price:a", "worked out", "unlock price:a", "lock price:a", "unlock price:a");
        assertThat(eventsOfTwoCalls(Integer.MAX_VALUE - 100, CachesOutside.class))
                .isEqualTo(once);
        assertThat(eventsOfTwoCalls(Integer.MAX_VALUE, CachesInside.class)).isEqualTo(once);
    }

    private static List<String> eventsOfTwoCalls(int lockOrder, Class<?> caching) {
        try (LockedContext context =
                LockedContext.with(processor -> processor.setLockOrder(lockOrder), caching, Prices.class)) {
            Prices prices = context.getBean(Prices.class);
            assertThat(prices.of("a")).isEqualTo("price of a");
            assertThat(prices.of("a")).isEqualTo("price of a");
            return context.calls.events;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, Integer.MAX_VALUE})
    void shouldAcquireForEachAttemptWithAnyOrder(int order) {
        try (LockedContext context =
                LockedContext.with(processor -> processor.setLockOrder(order), ResilienceOutside.class, Flaky.class)) {
            context.getBean(Flaky.class).call();

            assertThat(context.calls.events)
                    .containsExactly("lock Flaky.call", "unlock Flaky.call", "lock Flaky.call", "unlock Flaky.call");
        }
    }

    @Test
    void shouldHoldOneLockForAllAttemptsIfConfigured() {
        try (LockedContext context = LockedContext.of(ResilienceInside.class, Flaky.class)) {
            context.getBean(Flaky.class).call();

            assertThat(context.calls.events).containsExactly("lock Flaky.call", "unlock Flaky.call");
        }
    }

    @Test
    void shouldRetryAcquisitionsUnlessExcluded() {
        AtomicInteger retried = new AtomicInteger();
        AtomicInteger excluded = new AtomicInteger();
        try (LockedContext locks = LockedContext.of(ResilienceOutside.class, Busy.class)) {
            Busy busy = locks.getBean(Busy.class);
            locks.takenByAnother("busy", () -> {
                assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> busy.retry(retried));
                assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> busy.giveUp(excluded));
            });
        }
        assertThat(retried).hasValue(3);
        assertThat(excluded).hasValue(1);
    }

    /** The opposite of Spring Framework's annotation, unless configured. */
    @Test
    void shouldHoldOneLockForAllAttemptsOfSpringRetryUnlessConfigured() {
        assertThat(eventsOf(RetriesInside.class))
                .containsExactly("lock Retried.call", "attempt", "attempt", "unlock Retried.call");
        assertThat(eventsOf(RetriesOutside.class))
                .containsExactly(
                        "lock Retried.call",
                        "attempt",
                        "unlock Retried.call",
                        "lock Retried.call",
                        "attempt",
                        "unlock Retried.call");
    }

    private static List<String> eventsOf(Class<?> retries) {
        try (LockedContext context = LockedContext.of(retries, Retried.class)) {
            context.getBean(Retried.class).call();
            return context.calls.events;
        }
    }

    @Test
    void shouldValidateUnderTheLockUnlessConfigured() {
        assertThat(eventsOfAnInvalidCall(ValidationInside.class))
                .containsExactly("lock Orders.add", "unlock Orders.add");
        assertThat(eventsOfAnInvalidCall(ValidationOutside.class)).as("no lock").isEmpty();
    }

    private static List<String> eventsOfAnInvalidCall(Class<?> validation) {
        try (LockedContext context = LockedContext.of(Validators.class, validation, Orders.class)) {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(() -> orders.add(0)).isInstanceOf(ConstraintViolationException.class);
            return context.calls.events;
        }
    }

    /** Unless the limit is inside the lock. */
    @ParameterizedTest
    @ValueSource(classes = {ResilienceOutside.class, ResilienceInside.class})
    void shouldCountWaitingCallsTowardsTheConcurrencyLimit(Class<?> resilience) {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (LockedContext locks = LockedContext.of(resilience, Limited.class)) {
            Limited limited = locks.getBean(Limited.class);
            locks.takenByAnother("Limited.call", () -> {
                CompletableFuture<Void> first = CompletableFuture.runAsync(limited::call, threads);
                await().until(() -> locks.registry.waiting() == 1);
                if (resilience == ResilienceOutside.class) {
                    assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(limited::call);
                } else {
                    CompletableFuture<Void> second = CompletableFuture.runAsync(limited::call, threads);
                    await().until(() -> locks.registry.waiting() == 2);
                    assertThat(second).isNotDone();
                }
                assertThat(first).isNotDone();
            });
        } finally {
            threads.shutdown();
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
        static ReportingTransactions transactionManager(LockCalls calls) {
            return new ReportingTransactions(calls.events::add);
        }
    }

    interface Stock {
        void take(String item);
    }

    static class TransactionalStock implements Stock {

        private final LockCalls calls;

        TransactionalStock(LockCalls calls) {
            this.calls = calls;
        }

        @Override
        @Transactional
        @DistributedLock(name = "stock", key = "#item")
        public void take(String item) {
            boolean active = TransactionSynchronizationManager.isActualTransactionActive();
            this.calls.events.add(active ? "body in transaction" : "body");
            if (item.equals("none")) {
                throw new IllegalStateException();
            }
        }
    }

    @Aspect
    @Order(1)
    record Security(LockCalls calls) {
        @Around("execution(* take(..))")
        public Object check(ProceedingJoinPoint call) throws Throwable {
            this.calls.events.add("security");
            Object result = call.proceed();
            this.calls.events.add("allowed");
            return result;
        }
    }

    @Aspect
    record Audit(LockCalls calls) {
        @Around("execution(* take(..))")
        public Object note(ProceedingJoinPoint call) throws Throwable {
            this.calls.events.add("audit");
            Object result = call.proceed();
            this.calls.events.add("audit ended");
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
        public void send(CompletableFuture<String> sent) {
            sent.complete(Thread.currentThread().getName() + " holds "
                    + LeaseContext.required().name());
        }
    }

    @EnableCaching(proxyTargetClass = true)
    @Import(ConcurrentMapCacheManager.class)
    static class CachesInside {}

    @EnableCaching(proxyTargetClass = true, order = 0)
    @Import(ConcurrentMapCacheManager.class)
    static class CachesOutside {}

    static class Prices {

        private final LockCalls calls;

        Prices(LockCalls calls) {
            this.calls = calls;
        }

        @Cacheable("prices")
        @DistributedLock(name = "price", key = "#item")
        public String of(String item) {
            this.calls.events.add("worked out");
            return "price of " + item;
        }
    }

    @EnableResilientMethods(proxyTargetClass = true)
    static class ResilienceOutside {}

    @EnableResilientMethods(proxyTargetClass = true, order = 0)
    static class ResilienceInside {}

    static class Flaky {

        private int calls;

        @Retryable(delay = 1)
        @DistributedLock
        public void call() {
            if (this.calls++ == 0) {
                throw new IllegalStateException("once");
            }
        }
    }

    /** The condition is evaluated once for each acquisition. */
    static class Busy {
        @Retryable(delay = 1, maxRetries = 2)
        @DistributedLock(name = "busy", condition = "#attempts.incrementAndGet() > 0", waitTime = 0)
        public void retry(AtomicInteger attempts) {}

        @Retryable(delay = 1, maxRetries = 2, excludes = LockNotGrantedException.class)
        @DistributedLock(name = "busy", condition = "#attempts.incrementAndGet() > 0", waitTime = 0)
        public void giveUp(AtomicInteger attempts) {}
    }

    static class Limited {
        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @DistributedLock
        public void call() {}
    }

    @EnableRetry(proxyTargetClass = true)
    static class RetriesInside {}

    @EnableRetry(proxyTargetClass = true, order = 0)
    static class RetriesOutside {}

    static class Retried {

        private final LockCalls calls;

        private int attempts;

        Retried(LockCalls calls) {
            this.calls = calls;
        }

        @org.springframework.retry.annotation.Retryable(backoff = @Backoff(delay = 1))
        @DistributedLock
        public void call() {
            this.calls.events.add("attempt");
            if (this.attempts++ == 0) {
                throw new IllegalStateException("once");
            }
        }
    }

    static class Validators {

        /** Without an interpolator of expressions, which needs another library. */
        @Bean
        static LocalValidatorFactoryBean validator() {
            LocalValidatorFactoryBean validator = new LocalValidatorFactoryBean();
            validator.setMessageInterpolator(new ParameterMessageInterpolator());
            return validator;
        }
    }

    static class ValidationInside {

        @Bean
        static MethodValidationPostProcessor methodValidation(Validator validator) {
            MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
            processor.setValidator(validator);
            processor.setProxyTargetClass(true);
            return processor;
        }
    }

    static class ValidationOutside {

        @Bean
        static MethodValidationPostProcessor methodValidation(Validator validator) {
            MethodValidationPostProcessor processor = ValidationInside.methodValidation(validator);
            processor.setBeforeExistingAdvisors(true);
            return processor;
        }
    }

    @Validated
    static class Orders {

        @DistributedLock
        public void add(@Positive int count) {}
    }
}
