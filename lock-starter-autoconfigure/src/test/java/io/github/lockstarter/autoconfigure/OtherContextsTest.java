package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** Parent and child contexts of one that has locks. */
@ExtendWith(OutputCaptureExtension.class)
class OtherContextsTest {

    private static final String WARNING = "run without their locks";

    private final ApplicationContextRunner locking = TestContexts.inMemory();

    private static AnnotationConfigApplicationContext child(ApplicationContext parent, Class<?>... configurations) {
        AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
        child.setParent(parent);
        child.setDisplayName("child of the test");
        child.register(configurations);
        child.refresh();
        return child;
    }

    @Test
    void shouldNameTheUnlockedBeansOfAChild(CapturedOutput output) {
        this.locking.run(parent -> {
            try (AnnotationConfigApplicationContext child = child(parent.getSourceApplicationContext(), Desks.class)) {
                assertThat(child.getBean("desk", Desk.class).isLocked())
                        .as("whether the method of a child without locks holds its lock")
                        .isFalse();
            }
        });

        assertThat(output.getOut().lines().filter(line -> line.contains(WARNING)))
                .singleElement()
                .asString()
                .contains(
                        "WARN",
                        "'child of the test'",
                        "@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)")
                .contains("desk (" + Desk.class.getName(), "lazyDesk (", "prototypeDesk (", "scopedDesk (")
                .doesNotContain("scopedTarget", "plain");
    }

    @Test
    void shouldLockTheBeansOfAChildThatImportsTheAutoConfiguration(CapturedOutput output) {
        this.locking.run(parent -> {
            try (AnnotationConfigApplicationContext child =
                    child(parent.getSourceApplicationContext(), Desks.class, Locks.class)) {
                assertThat(child.getBean("desk", Desk.class).isLocked())
                        .as("whether the method holds its lock")
                        .isTrue();
                assertThat(child.getBean(LockRegistry.class)).isSameAs(parent.getBean(LockRegistry.class));
            }
        });

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void shouldNameTheUnlockedBeansOfAParent(CapturedOutput output) {
        try (AnnotationConfigApplicationContext parent = child(null, Desks.class)) {
            this.locking.withParent(parent).run(context -> assertThat(context).hasNotFailed());
        }

        assertThat(output.getOut().lines().filter(line -> line.contains(WARNING)))
                .singleElement()
                .asString()
                .contains("'child of the test'", "desk (");
    }

    @Test
    void shouldReportABeanOnceAndByTheNearestContext(CapturedOutput output) {
        this.locking.run(outer -> this.locking.withParent(outer).run(inner -> {
            child(inner.getSourceApplicationContext(), Desks.class).close();
            child(inner.getSourceApplicationContext(), Desks.class).close();
        }));

        assertThat(output.getOut().lines().filter(line -> line.contains(WARNING)))
                .hasSize(1);
    }

    @Test
    void shouldAcceptLockedBeansOfTheParentInAChild(CapturedOutput output) {
        this.locking.withBean("desk", Desk.class).run(parent -> {
            Desk desk = parent.getBean(Desk.class);
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(parent.getSourceApplicationContext());
                child.registerBean("same", Desk.class, () -> desk);
                child.refresh();
                assertThat(child.getBean("same", Desk.class).isLocked()).isTrue();
            }
        });

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void shouldBeSilentIfLocksAreDisabled(CapturedOutput output) {
        this.locking
                .withPropertyValues("distributed-lock.enabled=false")
                .run(parent ->
                        child(parent.getSourceApplicationContext(), Desks.class).close());

        assertThat(output).doesNotContain(WARNING);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
    static class Locks {}

    @Configuration(proxyBeanMethods = false)
    static class Desks {

        @Bean
        Desk desk() {
            return new Desk();
        }

        @Bean
        @Lazy
        Desk lazyDesk() {
            return new Desk();
        }

        @Bean
        @Scope("prototype")
        Desk prototypeDesk() {
            return new Desk();
        }

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Desk scopedDesk() {
            return new Desk();
        }

        @Bean
        String plain() {
            return "plain";
        }
    }

    static class Desk {

        @DistributedLock(name = "desk")
        public boolean isLocked() {
            return LeaseContext.current().isPresent();
        }
    }
}
