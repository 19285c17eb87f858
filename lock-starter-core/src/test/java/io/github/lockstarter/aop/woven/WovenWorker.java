package io.github.lockstarter.aop.woven;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.aop.LockedContext;
import io.github.lockstarter.aop.ReportingTransactions;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** A JVM with load-time weaving; it prints its observations line by line. */
final class WovenWorker {

    private static RedisCli redis;

    private static LettuceConnectionFactory connections;

    private WovenWorker() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        redis = RedisCli.connect(port);
        connections = Servers.at("127.0.0.1", port);
        connections.afterPropertiesSet();
        say("too early", Orders::total);
        try (LockedContext application = application(AdviceMode.ASPECTJ, "lock", Orders.class)) {
            methods(application.getBean(Orders.class), application.getBean(LockRegistry.class));
            results(application.getBean(Orders.class));
            twoApplications(application);
            say("one of one", Orders::total);
        }
        say("rejected", () -> {
            application(AdviceMode.ASPECTJ, "lock", LeftOut.class).close();
            return "";
        });
        say("too late", Orders::total);
        try (LockedContext application = application(AdviceMode.PROXY, "proxy", Invoices.class)) {
            Invoices invoices = application.getBean(Invoices.class);
            say("by proxy", invoices::print);
            say("self-invoked behind a proxy", invoices::draftOfCopy);
            say("static without an application that weaves", Orders::total);
        }
        try (LockedContext application = disabled()) {
            Orders orders = application.getBean(Orders.class);
            say("disabled", orders::both);
            say("private and disabled", orders::report);
            say("static and disabled", Orders::total);
            say("of a class that is disabled", application.getBean(Invoices.class)::print);
        }
        say("the end", WovenWorker::keys);
    }

    private static LockedContext application(AdviceMode mode, String prefix, Class<?>... beans) {
        return application(processor -> processor.setMode(mode), prefix, beans);
    }

    /** Returns an application with locks in Redis and with other proxies and transactions. */
    private static LockedContext application(
            Consumer<DistributedLockBeanPostProcessor> settings, String prefix, Class<?>... beans) {
        LockSettings locks = LockSettings.of(Duration.ofSeconds(30));
        RedisStoreSettings store = new RedisStoreSettings(prefix, locks.commandTimeout(), true, locks.pollInterval());
        LockedContext application =
                LockedContext.prepare(new RedisLockStore(connections, store), locks, settings, beans);
        application.register(Audit.class, Transactions.class);
        application.refresh();
        return application;
    }

    /** Returns the keys that exist in Redis now. */
    static String keys() {
        return redis.keys().stream().sorted().toList().toString();
    }

    static void print(String line) {
        System.out.println(line);
    }

    private static LockedContext disabled() {
        ((Logger) LoggerFactory.getLogger(DistributedLockBeanPostProcessor.class.getPackageName()))
                .setLevel(Level.WARN);
        return application(
                processor -> {
                    processor.setMode(AdviceMode.ASPECTJ);
                    processor.setEnabled(false);
                },
                "off",
                Orders.class,
                Invoices.class,
                LeftOut.class);
    }

    private static void methods(Orders orders, LockRegistry registry) throws Exception {
        say("bean is a proxy", () -> String.valueOf(AopUtils.isAopProxy(orders)));
        say("self-invoked private", () -> orders.settle("42"));
        say("static", Orders::total);
        say("final, composed, reentrant", orders::report);
        say("repeated", orders::both);
        say("condition met", () -> orders.count(6));
        say("condition not met", () -> orders.count(5));
        say("inherited", orders::close);
        say("calls super", orders.open()::join);
        try (Lease lease = registry.acquire(LockRequest.of("busy"))) {
            say("private with a fallback", orders::tryBusy);
            say("static with a fallback", () -> Orders.busyNow("1"));
        }
        say("in a transaction", orders::pay);
        say("permits of a private method", orders::print);
        say("permits and a reader", orders::edit);
    }

    private static void results(Orders orders) throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> later = orders.later(work);
        say("future returned", WovenWorker::keys);
        work.complete("done");
        say("future complete", later::join);
        say("asynchronous", orders.mail()::join);
        say("reactive", orders.reactive()::block);
        say("reactive in a transaction", orders.reactivePay()::block);
        say("afterwards", WovenWorker::keys);
    }

    private static void twoApplications(LockedContext first) throws Exception {
        try (LockedContext second = application(AdviceMode.ASPECTJ, "other", Invoices.class, Orders.class)) {
            say("first of two", () -> first.getBean(Orders.class).settle("1"));
            say("second of two", () -> second.getBean(Orders.class).settle("1"));
            say("of a class", second.getBean(Invoices.class)::print);
            say("not public in that class", second.getBean(Invoices.class)::draft);
            say("of Object in that class", second.getBean(Invoices.class)::toString);
            say("none of two", Orders::total);
        }
    }

    private static void say(String what, Callable<String> call) throws Exception {
        String outcome;
        try {
            outcome = call.call();
        } catch (RuntimeException ex) {
            Throwable cause = ex;
            while (cause.getCause() != null && !(cause instanceof LockException)) {
                cause = cause.getCause();
            }
            outcome = cause.getClass().getSimpleName() + ": " + cause.getMessage();
        }
        print("> " + what + ": " + outcome);
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
    static class Transactions {

        @Bean
        static ReportingTransactions transactionManager() {
            return new ReportingTransactions(event -> print(event + " " + keys()));
        }
    }
}
