package io.github.lockstarter.aop.woven;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** An application with locks in Redis and with other proxies and transactions. */
final class Application extends AnnotationConfigApplicationContext {

    private Application(int port, String prefix) {
        LockSettings settings = LockSettings.of(Duration.ofSeconds(30));
        registerBean(LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", port));
        registerBean(LeasingLockRegistry.class, () -> {
            RedisStoreSettings store =
                    new RedisStoreSettings(prefix, settings.commandTimeout(), true, settings.pollInterval());
            return new LeasingLockRegistry(
                    new RedisLockStore(getBean(LettuceConnectionFactory.class), store), settings, null, List.of());
        });
        register(Audit.class, Transactions.class);
    }

    static Application with(AdviceMode mode, int port, String prefix, Class<?>... beans) {
        return with(processor -> processor.setMode(mode), port, prefix, beans);
    }

    static Application with(
            Consumer<DistributedLockBeanPostProcessor> settings, int port, String prefix, Class<?>... beans) {
        Application application = new Application(port, prefix);
        application.registerBean(DistributedLockBeanPostProcessor.class, () -> {
            DistributedLockBeanPostProcessor processor = new DistributedLockBeanPostProcessor(
                    () -> application.getBean(LockRegistry.class), LockSettings.of(Duration.ofSeconds(30)));
            processor.setProxyTargetClass(true);
            settings.accept(processor);
            return processor;
        });
        application.register(beans);
        application.refresh();
        return application;
    }

    /** Creates a proxy for orders that is unrelated to locks. */
    @Aspect
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class Audit {

        @Around("execution(String settle(..))")
        public Object note(ProceedingJoinPoint call) throws Throwable {
            return "audited " + call.proceed();
        }
    }

    @EnableAsync(mode = AdviceMode.ASPECTJ)
    @EnableTransactionManagement(mode = AdviceMode.ASPECTJ)
    @SuppressWarnings("serial")
    static class Transactions extends AbstractPlatformTransactionManager {

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            WovenWorker.print("begin " + WovenWorker.keys());
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            WovenWorker.print("commit " + WovenWorker.keys());
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            WovenWorker.print("rollback " + WovenWorker.keys());
        }
    }
}
