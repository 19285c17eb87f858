package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejection;
import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** A derived name belongs to one method: two methods must not share a lock by accident. */
class DerivedNamesTest {

    @Test
    void shouldRejectTwoClassesOfTheSameName() {
        InvalidLockDefinitionException rejection = rejectionOf(Sales.Report.class, Stock.Report.class);

        assertThat(rejection)
                .hasMessageContaining(Sales.Report.class.getName() + ".run()")
                .hasMessageContaining(Stock.Report.class.getName() + ".run()")
                .hasMessageContaining("'Report.run'");
        assertThat(rejection.remedy()).contains("name = \"").contains("exclude each other");
    }

    @ParameterizedTest
    @ValueSource(classes = {Overloads.class, OverloadsWithKeys.class, Covered.class})
    void shouldRejectOverloads(Class<?> bean) {
        assertThat(rejectionOf(bean))
                .hasMessageContaining(bean.getName() + ".run(String)")
                .hasMessageContaining(bean.getName() + ".run(int)")
                .hasMessageContaining("'" + bean.getSimpleName() + ".run'");
    }

    @Test
    void shouldSuggestARemedyForAnAnnotationOfAClass() {
        assertThat(rejectionOf(Covered.class).remedy())
                .contains("Annotate the methods")
                .contains("name");
    }

    @Test
    void shouldRejectSubclassesOfTheSameName() {
        assertThat(rejectionOf(Sales.Heir.class, Stock.Heir.class))
                .hasMessageContaining("(of " + Sales.Heir.class.getName() + ")")
                .hasMessageContaining("(of " + Stock.Heir.class.getName() + ")");
    }

    @Test
    void shouldRejectTwoLambdasOfOneInterface() {
        InvalidLockDefinitionException rejection = rejectionOf(Lambdas.class);

        assertThat(rejection)
                .hasMessageContaining(Task.class.getName() + ".run()")
                .hasMessageContaining("'Task.run'")
                .hasMessageContaining("two lambdas");
        assertThat(rejection.remedy()).contains("classes").contains("name");
    }

    @Test
    void shouldAcceptSeveralAnnotationsOfOneMethod() {
        try (LockedContext context = LockedContext.of(Transfers.class)) {
            context.getBean(Transfers.class).move("b", "a");

            assertThat(context.registry.requests)
                    .extracting(LockRequest::lockName)
                    .containsExactly("Transfers.move:a", "Transfers.move:b");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {SameTwice.class, SameNameTwice.class, SameKeyTwice.class})
    void shouldRejectTwoAnnotationsForTheSameLock(Class<?> bean) {
        assertThat(rejectionOf(bean))
                .hasMessageContaining("@DistributedLock on " + bean.getName() + ".run(String)")
                .hasMessageContaining("two annotations request the same lock");
    }

    @Test
    void shouldRejectBeansThatAreCreatedLater() {
        try (LockedContext context = LockedContext.of(Sales.Report.class, LateReport.class)) {
            assertThat(rejection(() -> context.getBean("late")))
                    .hasMessageContaining(Stock.Report.class.getName() + ".run()")
                    .hasMessageContaining(Sales.Report.class.getName() + ".run()");

            context.getBean(Sales.Report.class).run();
            assertThat(context.registry.requests).extracting(LockRequest::name).containsExactly("Report.run");
        }
    }

    @Test
    void shouldRejectAtBuildTime() {
        assertThat(rejection(() -> {
                    try (LockedContext context =
                            LockedContext.prepare(processor -> {}, Sales.Report.class, Stock.Report.class)) {
                        context.refreshForAotProcessing(new RuntimeHints());
                    }
                }))
                .hasMessageContaining("'Report.run'");
    }

    @Test
    void shouldRejectNothingWhenLocksAreDisabled() {
        LockedContext.with(processor -> processor.setEnabled(false), Sales.Report.class, Stock.Report.class)
                .close();
    }

    @Test
    void shouldBeUniqueWithinOneApplication() {
        LockedContext.of(Sales.Report.class).close();
        LockedContext.of(Stock.Report.class).close();
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

    interface Task {

        @DistributedLock
        void run();
    }

    static class Lambdas {

        @Bean
        Task one() {
            return () -> {};
        }

        @Bean
        Task two() {
            return () -> {};
        }
    }

    static class Overloads {

        @DistributedLock
        public void run(String id) {}

        @DistributedLock
        public void run(int number) {}
    }

    static class OverloadsWithKeys {

        @DistributedLock("#id")
        public void run(String id) {}

        @DistributedLock("#number")
        public void run(int number) {}
    }

    @DistributedLock
    static class Covered {

        public void run(String id) {}

        public void run(int number) {}
    }

    static class LateReport {

        @Bean
        @Lazy
        Stock.Report late() {
            return new Stock.Report();
        }
    }

    static class Transfers {

        @DistributedLock("#from")
        @DistributedLock("#to")
        public void move(String from, String to) {}
    }

    static class SameTwice {

        @DistributedLock
        @DistributedLock(waitTime = 0)
        public void run(String id) {}
    }

    static class SameNameTwice {

        @DistributedLock(name = "report")
        @DistributedLock(name = "report", minHold = 5)
        public void run(String id) {}
    }

    static class SameKeyTwice {

        @DistributedLock(key = "#id")
        @DistributedLock(name = "SameKeyTwice.run", key = "#id", waitTime = 0)
        public void run(String id) {}
    }
}
