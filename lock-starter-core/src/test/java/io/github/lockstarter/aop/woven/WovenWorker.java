package io.github.lockstarter.aop.woven;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AdviceMode;

/** A JVM with load-time weaving; it prints its observations line by line. */
final class WovenWorker {

    private static RedisCli redis;

    private static int port;

    private WovenWorker() {}

    public static void main(String[] arguments) throws Exception {
        port = Integer.parseInt(arguments[0]);
        redis = RedisCli.connect(port);
        say("too early", Orders::total);
        try (Application application = Application.with(AdviceMode.ASPECTJ, port, "lock", Orders.class)) {
            methods(application.getBean(Orders.class), application.getBean(LockRegistry.class));
            results(application.getBean(Orders.class));
            twoApplications(application);
            say("one of one", Orders::total);
        }
        rejections();
        say("too late", Orders::total);
        try (Application application = Application.with(AdviceMode.PROXY, port, "proxy", Invoices.class)) {
            Invoices invoices = application.getBean(Invoices.class);
            say("by proxy", invoices::print);
            say("self-invoked behind a proxy", invoices::draftOfCopy);
            say("static without an application that weaves", Orders::total);
        }
        try (Application application = disabled()) {
            Orders orders = application.getBean(Orders.class);
            say("disabled", orders::both);
            say("private and disabled", orders::report);
            say("static and disabled", Orders::total);
            say("of a class that is disabled", application.getBean(Invoices.class)::print);
        }
        say("the end", WovenWorker::keys);
    }

    /** Returns the keys that exist in Redis now. */
    static String keys() {
        return redis.keys().stream().sorted().toList().toString();
    }

    static void print(String line) {
        System.out.println(line);
    }

    private static Application disabled() {
        ((Logger) LoggerFactory.getLogger(DistributedLockBeanPostProcessor.class.getPackageName()))
                .setLevel(Level.WARN);
        return Application.with(
                processor -> {
                    processor.setMode(AdviceMode.ASPECTJ);
                    processor.setEnabled(false);
                },
                port,
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

    private static void twoApplications(Application first) throws Exception {
        try (Application second =
                Application.with(AdviceMode.ASPECTJ, port, "other", Invoices.class, Orders.class)) {
            say("first of two", () -> first.getBean(Orders.class).settle("1"));
            say("second of two", () -> second.getBean(Orders.class).settle("1"));
            say("of a class", second.getBean(Invoices.class)::print);
            say("not public in that class", second.getBean(Invoices.class)::draft);
            say("of Object in that class", second.getBean(Invoices.class)::toString);
            say("none of two", Orders::total);
        }
    }

    private static void rejections() throws Exception {
        for (Class<?> bean : new Class<?>[] {LeftOut.class, LeftOut.Heir.class}) {
            say("rejected " + bean.getSimpleName(), () -> {
                Application.with(AdviceMode.ASPECTJ, port, "lock", bean).close();
                return "";
            });
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
}
