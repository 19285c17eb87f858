package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.contradiction.KeyAndValue;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanDefinitionStoreException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/** What is printed when an application cannot start because of us. */
class FailureAnalysisTest {

    private final ApplicationContextRunner inMemory = TestContexts.inMemory();

    @Test
    void shouldNameTheMethodOfAWrongAnnotationAndTheRemedy() {
        this.inMemory.withBean(Sealed.class).run(context -> {
            FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());

            assertThat(analysis.getDescription())
                    .contains(Sealed.class.getName() + ".seal", "final")
                    .doesNotContain(analysis.getAction());
            assertThat(analysis.getAction()).contains("final");
        });
    }

    @Test
    void shouldNameTheMethodsThatDeriveTheSameName() {
        this.inMemory
                .withBean("one", Locked.class)
                .withBean("other", Other.Locked.class)
                .run(context -> {
                    FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());

                    assertThat(analysis.getDescription())
                            .contains(Locked.class.getName() + ".run()", Other.Locked.class.getName() + ".run()")
                            .contains("'Locked.run'");
                    assertThat(analysis.getAction()).contains("@DistributedLock(name = \"");
                });
    }

    /** The action is printed below a heading of its own, and so must say by itself what to do. */
    @Test
    void shouldNameWhatIsWrittenAndWhatToDo() {
        this.inMemory.withBean(Composed.class).run(context -> {
            FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());

            assertThat(analysis.getDescription())
                    .contains("@ScheduledLock", Composed.class.getName() + ".run()", "name = \"job:{id}\"")
                    .doesNotContain(analysis.getAction());
            assertThat(analysis.getAction()).startsWith("Move the expression to key: ");
        });
    }

    static class Composed {
        @ScheduledLock(name = "job:{id}", minHold = "1m")
        public void run() {}
    }

    /** A component scan reads annotations before any bean is made. */
    @Test
    void shouldExplainAContradictionThatAScanStumblesOver() {
        Throwable failure = catchThrowable(() -> new SimpleMetadataReaderFactory()
                .getMetadataReader(KeyAndValue.class.getName())
                .getAnnotationMetadata());

        FailureAnalysis analysis = FailureAnalyses.of(new BeanDefinitionStoreException("scan", failure));
        assertThat(analysis.getDescription()).contains("KeyAndValue", "'key'", "'value'", "#a0", "#id");
        assertThat(analysis.getAction()).contains("value", "key");
    }

    @Test
    void shouldNameTheRegistriesOfWhichNoneIsPrimary() {
        this.inMemory
                .withBean("invoices", Locked.class)
                .withUserConfiguration(TwoRegistries.class)
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains("'invoices'", "LockRegistry", "@Primary", "oneRegistry", "otherRegistry");
                            assertThat(analysis.getAction()).contains("@Primary");
                        }));
        this.inMemory
                .withUserConfiguration(TwoRegistries.class)
                .run(context -> assertThat(context).as("not needed").hasNotFailed());
        this.inMemory
                .withBean("invoices", Locked.class)
                .withUserConfiguration(TwoRegistries.class)
                .withBean(
                        "third",
                        LockRegistry.class,
                        () -> new LeasingLockRegistry(
                                new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(3)), null, List.of()),
                        definition -> definition.setPrimary(true))
                .run(context -> assertThat(context).as("one is primary").hasNotFailed());
    }

    @Test
    void shouldNameTheFailureHandlersOfWhichNoneIsPrimary() {
        ApplicationContextRunner twoHandlers = this.inMemory
                .withBean("one", LockFailureHandler.class, () -> (failure, method, arguments) -> null)
                .withBean("other", LockFailureHandler.class, () -> (failure, method, arguments) -> null);
        twoHandlers
                .withBean("invoices", Locked.class)
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains("'invoices'", "LockFailureHandler", "@Primary", "one, other");
                            assertThat(analysis.getAction()).contains("@Primary");
                        }));
        twoHandlers
                .withBean("invoices", Locked.class)
                .withBean(
                        "third",
                        LockFailureHandler.class,
                        () -> (failure, method, arguments) -> null,
                        definition -> definition.setPrimary(true))
                .run(context -> assertThat(context).as("one is primary").hasNotFailed());
        twoHandlers
                .withBean("invoices", SaysItForItself.class)
                .run(context -> assertThat(context).as("not needed").hasNotFailed());
        twoHandlers
                .withBean("invoices", SaysItOnce.class)
                .run(context -> assertThat(context.getStartupFailure()).hasMessageContaining("'invoices'"));
    }

    @Test
    void shouldNameTheAgentWhereNobodyWeaves() {
        this.inMemory
                .withPropertyValues("distributed-lock.mode=aspectj")
                .withBean(Hidden.class)
                .run(context -> {
                    FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());

                    assertThat(analysis.getDescription()).contains(Hidden.class.getName() + ".hide");
                    assertThat(analysis.getAction()).contains("-javaagent:aspectjweaver.jar", "mode=proxy");
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "watchdog.timeout | 50ms    | 100ms",
                "wait-time        | -2      | -2",
                "key-prefix       | a{b     | a{b",
                "on-lost          | explode | explode",
                "on-lost          | default | default",
                "enabled          | maybe   | maybe",
                "mode             | woven   | woven",
                "aspect.order     | first   | first"
            })
    void shouldNameAPropertyThatCannotWork(String property, String value, String fact) {
        this.inMemory
                .withPropertyValues("distributed-lock." + property + "=" + value)
                .run(context -> assertThat(
                                FailureAnalyses.of(context.getStartupFailure()).getDescription())
                        .contains("distributed-lock." + property)
                        .contains(fact));
    }

    @Test
    void shouldListWhatCanHappenOnALoss() {
        this.inMemory
                .withPropertyValues("distributed-lock.on-lost=default")
                .run(context -> assertThat(
                                FailureAnalyses.of(context.getStartupFailure()).getAction())
                        .containsIgnoringCase("throw")
                        .containsIgnoringCase("interrupt")
                        .containsIgnoringCase("ignore"));
    }

    static class Sealed {

        @DistributedLock
        final void seal() {}
    }

    static class Locked {

        @DistributedLock
        void run() {}
    }

    static class Other {

        static class Locked {

            @DistributedLock
            void run() {}
        }
    }

    interface Runs {

        @DistributedLock
        void run();
    }

    static class SaysItForItself implements Runs {

        @Override
        @DistributedLock(onNotGranted = OnNotGranted.SKIP)
        public void run() {}

        @DistributedLock(name = "one", fallback = "instead")
        @DistributedLock(name = "two", onNotGranted = OnNotGranted.SKIP)
        public void runWithTwo() {}

        void instead() {}
    }

    static class SaysItOnce {

        @DistributedLock(name = "one", onNotGranted = OnNotGranted.SKIP)
        @DistributedLock(name = "two")
        public void runWithTwo() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoRegistries {

        @Bean
        LeasingLockRegistry oneRegistry(LockStore store) {
            return new LeasingLockRegistry(store, LockSettings.of(Duration.ofSeconds(3)), null, List.of());
        }

        @Bean
        LeasingLockRegistry otherRegistry(LockStore store) {
            return new LeasingLockRegistry(store, LockSettings.of(Duration.ofSeconds(3)), null, List.of());
        }
    }

    static class Hidden {

        @DistributedLock
        @SuppressWarnings("UnusedMethod")
        private void hide() {}
    }
}
