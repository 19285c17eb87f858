package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** A method of several beans and proxies has the same derived name in all of them. */
class OneMethodOneNameTest {

    @Test
    void shouldAcceptSeveralBeansOfOneClass() {
        try (LockedContext context = LockedContext.of(Twice.class, Prototype.class)) {
            context.getBean("one", Report.class).run();
            context.getBean("two", Report.class).run();
            context.getBean(Prototype.class).run();
            context.getBean(Prototype.class).run();

            assertThat(names(context)).containsExactly("Report.run", "Report.run", "Prototype.run", "Prototype.run");
        }
    }

    @Test
    void shouldAcceptOneMethodInSeveralForms() {
        try (LockedContext context = LockedContext.of(StringHandler.class, NumberHandler.class, Lambdas.class)) {
            context.getBean(StringHandler.class).handle("a");
            handle(context.getBean(StringHandler.class), "a");
            context.getBean(NumberHandler.class).handle(1);
            context.getBean("one", StringTask.class).run("a");
            context.getBean("two", StringTask.class).run("a");

            assertThat(names(context))
                    .containsExactly(
                            "StringHandler.handle",
                            "StringHandler.handle",
                            "NumberHandler.handle",
                            "StringTask.run",
                            "StringTask.run");
        }
    }

    @Test
    void shouldAcceptInterfaceProxies() {
        try (LockedContext context =
                LockedContext.ofInterfaceProxies(StringHandler.class, NumberHandler.class, HiddenOverload.class)) {
            List<?> handlers = List.copyOf(context.getBeansOfType(Handler.class).values());

            assertThat(handlers).hasSize(3);
        }
    }

    @Test
    void shouldAcceptScopedAndForeignProxies() {
        try (LockedContext context = LockedContext.of(Scoped.class, Advised.class)) {
            context.getBean(Scoped.class).run();
            context.getBean("advised", Report.class).run();

            assertThat(names(context)).containsExactly("Scoped.run", "Report.run");
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void handle(Handler handler, Object value) {
        handler.handle(value);
    }

    private static List<String> names(LockedContext context) {
        return context.registry.requests.stream().map(LockRequest::name).toList();
    }

    static class Report {

        @DistributedLock
        public void run() {}
    }

    static class Twice {

        @Bean
        Report one() {
            return new Report();
        }

        @Bean
        Report two() {
            return new Report();
        }
    }

    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Prototype {

        @DistributedLock
        public void run() {}
    }

    @Scope(value = ConfigurableBeanFactory.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {

        @DistributedLock
        public void run() {}
    }

    static class Advised {

        @Bean
        Report advised() {
            ProxyFactory factory = new ProxyFactory(new Report());
            factory.setProxyTargetClass(true);
            return (Report) factory.getProxy();
        }
    }

    interface Handler<T> {

        @DistributedLock
        void handle(T value);
    }

    static class StringHandler implements Handler<String> {

        @Override
        public void handle(String value) {}
    }

    static class NumberBase<T extends Number> implements Handler<T> {

        @Override
        public void handle(T value) {}
    }

    static class NumberHandler extends NumberBase<Integer> {}

    static class HiddenOverload implements Handler<Long> {

        @Override
        public void handle(Long value) {}

        public void handle(long value, boolean more) {}
    }

    interface Task<T> {

        void run(T value);
    }

    interface StringTask extends Task<String> {

        @Override
        @DistributedLock
        void run(String value);
    }

    static class Lambdas {

        @Bean
        StringTask one() {
            return task();
        }

        @Bean
        StringTask two() {
            return task();
        }

        private static StringTask task() {
            return value -> {};
        }
    }
}
