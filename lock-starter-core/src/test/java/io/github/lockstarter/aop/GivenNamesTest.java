package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Methods may share an explicit name, regardless of the names that would be derived. */
class GivenNamesTest {

    @Test
    void shouldAcceptExplicitNames() {
        try (LockedContext context = LockedContext.of(Sales.Report.class, Stock.Report.class, NamedOverloads.class)) {
            context.getBean(Sales.Report.class).run();
            context.getBean(Stock.Report.class).run();
            context.getBean(NamedOverloads.class).run(1);
            context.getBean(NamedOverloads.class).run("a");

            assertThat(names(context)).containsExactly("report", "report", "NamedOverloads.run", "other");
        }
    }

    @Test
    void shouldAcceptAClassWithANameForAllItsMethods() {
        try (LockedContext context = LockedContext.of(NamedClass.class)) {
            context.getBean(NamedClass.class).run("a");
            context.getBean(NamedClass.class).run(1);

            assertThat(names(context)).containsExactly("all", "all");
        }
    }

    @Test
    void shouldAcceptNamesOnTheMethodsOfAnAnnotatedClass() {
        try (LockedContext context = LockedContext.of(RenamedOverload.class)) {
            context.getBean(RenamedOverload.class).run("a");
            context.getBean(RenamedOverload.class).run(1);

            assertThat(names(context)).containsExactly("RenamedOverload.run", "by number");
        }
    }

    private static List<String> names(LockedContext context) {
        return context.registry.requests.stream().map(LockRequest::name).toList();
    }

    static class Sales {

        static class Report {

            @DistributedLock(name = "report")
            public void run() {}
        }
    }

    static class Stock {

        static class Report {

            @DistributedLock(name = "report")
            public void run() {}
        }
    }

    static class NamedOverloads {

        @DistributedLock(name = "other")
        public void run(String id) {}

        @DistributedLock
        public void run(int number) {}
    }

    @DistributedLock(name = "all")
    static class NamedClass {

        public void run(String id) {}

        public void run(int number) {}
    }

    @DistributedLock
    static class RenamedOverload {

        public void run(String id) {}

        @DistributedLock(name = "by number")
        public void run(int number) {}
    }
}
