package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejection;
import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** A derived name belongs to one method, in all its beans and proxies. Methods may share a name that is given. */
class LockNamesTest {

    @Test
    void shouldRejectTwoClassesOfTheSameName() {
        assertThat(rejectionOf(Sales.Report.class, Stock.Report.class))
                .hasMessageContainingAll(
                        Sales.Report.class.getName() + ".run()",
                        Stock.Report.class.getName() + ".run()",
                        "'Report.run'",
                        "name = \"",
                        "exclude each other");
        assertThat(rejectionOf(Sales.Heir.class, Stock.Heir.class))
                .hasMessageContaining("(of " + Sales.Heir.class.getName() + ")")
                .hasMessageContaining("(of " + Stock.Heir.class.getName() + ")");
    }

    @ParameterizedTest
    @ValueSource(classes = {Overloads.class, Covered.class})
    void shouldRejectOverloads(Class<?> bean) {
        assertThat(rejectionOf(bean))
                .hasMessageContaining(bean.getName() + ".run(String)")
                .hasMessageContaining(bean.getName() + ".run(int)")
                .hasMessageContaining("'" + bean.getSimpleName() + ".run'");
    }

    @Test
    void shouldRejectTwoLambdasOfOneInterface() {
        assertThat(rejectionOf(TwoLambdas.class)).hasMessageContaining(StringTask.class.getName(), "'StringTask.run'");
    }

    @Test
    void shouldRejectBeansThatAreCreatedLater() {
        try (LockedContext context = LockedContext.of(Sales.Report.class, LateReport.class)) {
            assertThat(rejection(() -> context.getBean("late")))
                    .hasMessageContaining(Stock.Report.class.getName() + ".run()")
                    .hasMessageContaining(Sales.Report.class.getName() + ".run()");
            context.getBean(Sales.Report.class).run();

            assertThat(names(context)).containsExactly("Report.run");
        }
    }

    @Test
    void shouldRejectAtBuildTimeAndNothingIfDisabled() {
        assertThat(rejection(() -> {
                    try (LockedContext context =
                            LockedContext.prepare(processor -> {}, Sales.Report.class, Stock.Report.class)) {
                        context.refreshForAotProcessing(new RuntimeHints());
                    }
                }))
                .hasMessageContaining("'Report.run'");
        LockedContext.with(processor -> processor.setEnabled(false), Sales.Report.class, Stock.Report.class)
                .close();
    }

    @Test
    void shouldRejectANameThatIsALockAndASemaphore() {
        assertThat(rejectionOf(Exporter.class, Importer.class))
                .hasMessageContaining("'exports'")
                .hasMessageContaining("@DistributedSemaphore on " + Exporter.class.getName() + ".run()")
                .hasMessageContaining("@DistributedLock on " + Importer.class.getName() + ".run()");
    }

    @Test
    void shouldAcceptNamesThatAreGiven() {
        try (LockedContext context = LockedContext.of(NamedOverloads.class, Transfers.class)) {
            context.getBean(NamedOverloads.class).run(1);
            context.getBean(NamedOverloads.class).run("a");
            context.getBean(Transfers.class).move("b", "a");

            assertThat(names(context))
                    .containsExactly("NamedOverloads.run", "other", "Transfers.move", "Transfers.move");
        }
    }

    @Test
    void shouldAcceptOneMethodInSeveralBeansAndForms() {
        try (LockedContext context =
                LockedContext.of(Twice.class, Scoped.class, StringHandler.class, NumberHandler.class)) {
            context.getBean("one", Sales.Report.class).run();
            context.getBean("two", Sales.Report.class).run();
            context.getBean(Scoped.class).run();
            context.getBean(StringHandler.class).handle("a");
            handle(context.getBean(StringHandler.class), "a");
            context.getBean(NumberHandler.class).handle(1);
            context.getBean("task", StringTask.class).run("a");
            context.getBean("sameTask", StringTask.class).run("a");

            assertThat(names(context))
                    .containsExactly(
                            "Report.run",
                            "Report.run",
                            "Scoped.run",
                            "StringHandler.handle",
                            "StringHandler.handle",
                            "NumberHandler.handle",
                            "StringTask.run",
                            "StringTask.run");
        }
    }

    @Test
    void shouldAcceptInterfaceProxies() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(StringHandler.class, NumberHandler.class)) {
            assertThat(context.getBeansOfType(Handler.class)).hasSize(2);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void handle(Handler handler, Object value) {
        handler.handle(value);
    }

    private static List<String> names(LockedContext context) {
        return context.calls.requests.stream().map(LockRequest::name).toList();
    }

    static class Base {
        @DistributedLock
        public void inherited() {}
    }

    static class Sales {
        static class Report {
            @DistributedLock
            public void run() {}
        }

        static class Heir extends Base {}
    }

    static class Stock {
        static class Report {
            @DistributedLock
            public void run() {}
        }

        static class Heir extends Base {}
    }

    static class LateReport {
        @Bean
        @Lazy
        Stock.Report late() {
            return new Stock.Report();
        }
    }

    static class Overloads {
        @DistributedLock
        public void run(String id) {}

        @DistributedLock
        public void run(int number) {}
    }

    @DistributedLock
    static class Covered {
        public void run(String id) {}

        public void run(int number) {}
    }

    static class Exporter {
        @DistributedSemaphore(name = "exports", permits = 3)
        public void run() {}
    }

    static class Importer {
        @DistributedLock(name = "exports", key = "#root.method.name")
        public void run() {}
    }

    static class NamedOverloads {
        @DistributedLock(name = "other")
        public void run(String id) {}

        @DistributedLock
        public void run(int number) {}
    }

    static class Transfers {
        @DistributedLock("#from")
        @DistributedLock("#to")
        public void move(String from, String to) {}
    }

    static class Twice {
        @Bean
        Sales.Report one() {
            return new Sales.Report();
        }

        @Bean
        Sales.Report two() {
            return new Sales.Report();
        }

        @Bean
        StringTask task() {
            return newTask();
        }

        @Bean
        StringTask sameTask() {
            return newTask();
        }

        private static StringTask newTask() {
            return value -> {};
        }
    }

    static class TwoLambdas {
        @Bean
        StringTask one() {
            return value -> {};
        }

        @Bean
        StringTask two() {
            return value -> {};
        }
    }

    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        @DistributedLock
        public void run() {}
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

    interface Task<T> {
        void run(T value);
    }

    interface StringTask extends Task<String> {
        @Override
        @DistributedLock
        void run(String value);
    }
}
