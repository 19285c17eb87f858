package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.fixture.LogCapture;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Scheduled;

/** A scheduled job that waits for its lock runs in every instance. */
class ScheduledJobRulesTest {

    @AutoClose
    private final LogCapture log = new LogCapture(ScheduledJobRules.class.getName());

    private List<String> warnings() {
        return this.log.with("");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ByDefault.class,
                Waiting.class,
                Repeated.class,
                Composed.class,
                OfClass.class,
                Overriding.class,
                SeveralLocks.class
            })
    void shouldBeLoggedOnce(Class<?> bean) {
        LockedContext.of(bean).close();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("@Scheduled", bean.getName() + ".run()", "minHold", "waitTime = 0", "onNotGranted = SKIP");
    }

    @Test
    void shouldContainTheWaitTime() {
        LockedContext.with(processor -> processor.setWaitTime(Duration.ofMillis(90_500)), ByDefault.class)
                .close();

        assertThat(warnings()).singleElement().asString().contains("1m30s500ms");
    }

    @ParameterizedTest
    @ValueSource(classes = {TriedOnce.class, TriedOnceAndKept.class, OneTriedOnce.class, ScheduledLocks.class})
    void shouldNotBeLogged(Class<?> bean) {
        LockedContext.of(bean).close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNotBeLoggedIfTheDefaultWaitTimeIsZero() {
        LockedContext.with(processor -> processor.setWaitTime(Duration.ZERO), ByDefault.class)
                .close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldBeLoggedOnceForBeansOfOneClass() {
        try (LockedContext context = LockedContext.of(Prototype.class)) {
            context.getBean(Prototype.class);
            context.getBean(Prototype.class);
        }

        assertThat(warnings()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(classes = {Kept.class, SeveralKept.class})
    void shouldFailForAJobWithAMinimumHold(Class<?> bean) {
        assertThatThrownBy(() -> LockedContext.of(bean))
                .rootCause()
                .isInstanceOf(InvalidLockDefinitionException.class)
                .hasMessageContaining(bean.getName() + ".run()")
                .hasMessageContaining("@ScheduledLock");
    }

    @Test
    void shouldFailForAJobThatWaitsByAProperty() {
        assertThatThrownBy(() -> LockedContext.with(waitingByProperty("job"), TriedOnceAndKept.class))
                .rootCause()
                .isInstanceOfSatisfying(
                        InvalidLockSettingException.class,
                        failure -> assertThat(failure.property()).isEqualTo("distributed-lock.locks.job.wait-time"))
                .hasMessageContaining(TriedOnceAndKept.class.getName() + ".run()");
    }

    @Test
    void shouldFailForAScheduledLockWithoutAMinimumHold() {
        assertThatThrownBy(() -> LockedContext.of(NotKept.class))
                .rootCause()
                .isInstanceOf(InvalidLockDefinitionException.class)
                .hasMessageContaining("@ScheduledLock", "minHold");
    }

    private static Consumer<DistributedLockBeanPostProcessor> waitingByProperty(String name) {
        NamedSettings settings = new NamedSettings(
                name,
                new NamedValue<>(NamedSettings.property(name, "wait-time"), Duration.ofSeconds(5)),
                null,
                null,
                null,
                null,
                null);
        return processor -> processor.setSettingsByName(new SettingsByName(List.of(settings)));
    }

    static class ByDefault {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job")
        public void run() {}
    }

    static class Waiting {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "job", waitTime = 5000)
        public void run() {}
    }

    static class Repeated {
        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 4 * * *")
        @DistributedLock(name = "job")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLock(name = "job")
    @interface Nightly {}

    static class Composed {
        @Nightly
        public void run() {}
    }

    @DistributedLock(name = "job")
    static class OfClass {
        @Scheduled(fixedDelay = 1000)
        public void run() {}
    }

    interface Job {
        @Scheduled(fixedDelay = 1000)
        void run();
    }

    static class Overriding implements Job {
        @Override
        @DistributedLock(name = "job")
        public void run() {}
    }

    static class SeveralLocks {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job")
        @DistributedLock(name = "stock")
        public void run() {}
    }

    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Prototype {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job")
        public void run() {}
    }

    static class TriedOnce {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", waitTime = 0)
        public void run() {}
    }

    static class TriedOnceAndKept {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", waitTime = 0, minHold = 1000, onNotGranted = OnNotGranted.SKIP)
        public void run() {}
    }

    static class Kept {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", minHold = 60_000)
        public void run() {}
    }

    static class OneTriedOnce {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", waitTime = 0)
        @DistributedLock(name = "stock")
        public void run() {}
    }

    static class SeveralKept {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "stock", waitTime = 1)
        @DistributedLock(name = "job", waitTime = 1, minHold = 60_000)
        public void run() {}
    }

    static class ScheduledLocks {
        @ScheduledLock(name = "report", minHold = "1m", maxHold = "1h")
        public void report() {}

        @Scheduled(fixedDelay = 1000)
        @ScheduledLock(minHold = "PT30S")
        public void poll() {}
    }

    static class NotKept {
        @ScheduledLock(name = "report", minHold = "0")
        public void run() {}
    }
}
