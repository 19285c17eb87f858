package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import org.junit.jupiter.api.Test;

class ClassLevelTest {

    @Test
    void shouldLockPublicMethods() {
        try (LockedContext context = LockedContext.of(Reports.class)) {
            Reports reports = context.getBean(Reports.class);

            reports.run();

            assertThat(context.registry.events).containsExactly("lock reports", "unlock reports");
        }
    }

    @Test
    void shouldLockInheritedPublicMethods() {
        try (LockedContext context = LockedContext.of(Reports.class)) {
            context.getBean(Reports.class).inherited();

            assertThat(context.registry.events).containsExactly("lock reports", "unlock reports");
        }
    }

    @Test
    void shouldExcludeMethodsThatAreNotPublicAndThoseOfObject() {
        try (LockedContext context = LockedContext.of(Reports.class)) {
            Reports reports = context.getBean(Reports.class);

            reports.packagePrivate();
            reports.guarded();
            assertThat(reports.toString()).isEqualTo("reports");
            assertThat(reports.equals(reports)).isTrue();

            assertThat(context.registry.events).isEmpty();
        }
    }

    @Test
    void shouldBeReplacedByTheAnnotationOfTheMethod() {
        try (LockedContext context = LockedContext.of(Reports.class)) {
            context.getBean(Reports.class).special();

            assertThat(context.registry.events).containsExactly("lock special", "unlock special");
            assertThat(context.registry.request().waitTime()).isNull();
        }
    }

    @Test
    void shouldApplyToInterfaces() {
        try (LockedContext context = LockedContext.of(TypeLevel.class)) {
            context.getBean(TypeLevel.class).run();
            context.getBean(TypeLevel.class).extra();

            assertThat(context.registry.requests)
                    .extracting(request -> request.lockName())
                    .containsExactly("jobs", "jobs");
        }
    }

    @Test
    void shouldApplyToInterfacesOfAnInterfaceProxy() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(TypeLevel.class)) {
            context.getBean(Job.class).run();

            assertThat(context.registry.request().lockName()).isEqualTo("jobs");
        }
    }

    @Test
    void shouldNameEachMethodByDefault() {
        try (LockedContext context = LockedContext.of(Unnamed.class)) {
            context.getBean(Unnamed.class).first();
            context.getBean(Unnamed.class).second();

            assertThat(context.registry.requests)
                    .extracting(request -> request.lockName())
                    .containsExactly("Unnamed.first", "Unnamed.second");
        }
    }

    @Test
    void shouldIgnoreMethodsThatAnInterfaceProxyLacks() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(WithSetter.class)) {
            context.getBean(Job.class).run();

            assertThat(context.registry.request().lockName()).isEqualTo("withSetter");
        }
    }

    static class ReportBase {

        public void inherited() {}
    }

    @DistributedLock(name = "reports", waitTime = 5)
    static class Reports extends ReportBase {

        public void run() {
            helper();
        }

        @DistributedLock(name = "special")
        public void special() {}

        void packagePrivate() {}

        protected void guarded() {}

        private void helper() {}

        public static void tool() {}

        @Override
        public String toString() {
            return "reports";
        }

        @Override
        public boolean equals(Object other) {
            return other != null;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    @DistributedLock(name = "jobs")
    interface Job {

        void run();
    }

    static class TypeLevel implements Job {

        @Override
        public void run() {}

        public void extra() {}
    }

    @DistributedLock
    static class Unnamed {

        public void first() {}

        public void second() {}
    }

    @DistributedLock(name = "withSetter")
    static class WithSetter implements Job {

        @Override
        public void run() {}

        public final void setUp() {}
    }
}
