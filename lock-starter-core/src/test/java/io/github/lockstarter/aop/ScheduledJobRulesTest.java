package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.testsupport.LogCapture;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Scheduled;

/** A scheduled job that waits for its lock runs in every instance. */
class ScheduledJobRulesTest {

    @AutoClose
    private final LogCapture log = new LogCapture(StartupReport.class.getName());

    @Test
    void shouldReportEachJobThatWaitsOnce() {
        LockSettings settings = LockSettings.of(
                Duration.ofMillis(90_500),
                OnLost.THROW,
                Duration.ofSeconds(30),
                null,
                null,
                null,
                null,
                Duration.ofSeconds(10));
        try (LockedContext context = LockedContext.with(settings, Jobs.class, OfClass.class)) {
            context.getBean(Jobs.class);
            context.getBean(Jobs.class);
        }

        assertThat(this.log.with(""))
                .hasSize(8)
                .allSatisfy(line -> assertThat(line)
                        .contains("@Scheduled", "minHold", "waitTime = 0", "onNotGranted = SKIP", "@DistributedLock"))
                .anyMatch(line -> line.contains("Jobs.byDefault() waits up to 1m30s500ms (distributed-lock.wait-time"))
                .anyMatch(line -> line.contains("Jobs.waiting() waits up to 5s for its lock"))
                .anyMatch(line -> line.contains("Jobs.repeated()"))
                .anyMatch(line -> line.contains("Jobs.composed()"))
                .anyMatch(line -> line.contains("Jobs.severalLocks()"))
                .anyMatch(line -> line.contains("Jobs.limited() ") && line.contains("permits"))
                .anyMatch(line -> line.contains("Jobs.reading()") && line.contains("at the same time"))
                .anyMatch(line -> line.contains("OfClass.run()") && line.contains("one after the other"));
    }

    @Test
    void shouldNotReportJobsWithOneAttempt() {
        LockedContext.of(Accepted.class).close();

        assertThat(this.log.with("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {Kept.class, NotKept.class, HardlyKept.class, KeptInMilliseconds.class})
    void shouldFailForAJobWithAMinimumHoldOrWithoutARequiredOne(Class<?> bean) {
        assertThatThrownBy(() -> LockedContext.of(bean))
                .rootCause()
                .isInstanceOf(InvalidLockDefinitionException.class)
                .hasMessageContainingAll(bean.getName() + ".run()", "@ScheduledLock");
        assertThat(this.log.with("")).isEmpty();
    }

    /** A property may replace the minimum hold of the annotation. */
    @Test
    void shouldNameThePropertyOfATooShortMinimumHold() {
        NamedSettings settings = new NamedSettings(
                "report",
                null,
                null,
                null,
                new NamedValue<>("locks.report.min-hold", Duration.ofMillis(60)),
                null,
                null,
                null);

        assertThatThrownBy(() -> LockedContext.with(
                        LockSettings.of(Duration.ofSeconds(30)).withNamed(new SettingsByName(List.of(settings))),
                        Accepted.class))
                .rootCause()
                .hasMessageContainingAll(
                        "Accepted.report()", "60ms", "distributed-lock.locks.report.min-hold", "at least 1s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"job", "report"})
    void shouldFailForAJobThatWaitsByAProperty(String name) {
        String property = NamedSettings.property(name, "wait-time");
        NamedSettings settings = new NamedSettings(
                name, new NamedValue<>(property, Duration.ofSeconds(5)), null, null, null, null, null, null);

        assertThatThrownBy(() -> LockedContext.with(
                        LockSettings.of(Duration.ofSeconds(30)).withNamed(new SettingsByName(List.of(settings))),
                        Accepted.class))
                .rootCause()
                .isInstanceOfSatisfying(
                        InvalidLockSettingException.class,
                        failure -> assertThat(failure.property()).isEqualTo("distributed-lock." + property))
                .hasMessageContaining(Accepted.class.getName());
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Scheduled(cron = "0 0 3 * * *")
    @DistributedLock(name = "job")
    @interface Nightly {}

    @Scope("prototype")
    static class Jobs {

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job")
        public void byDefault() {}

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "job", waitTimeString = "5s", onNotGranted = OnNotGranted.SKIP)
        public void waiting() {}

        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 4 * * *")
        @DistributedLock(name = "job")
        public void repeated() {}

        @Nightly
        public void composed() {}

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job")
        @DistributedLock(name = "stock")
        public void severalLocks() {}

        @Scheduled(fixedDelay = 1000)
        @DistributedSemaphore(permits = 2)
        public void limited() {}

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(mode = LockMode.READ)
        public void reading() {}
    }

    interface Job {
        @Scheduled(fixedDelay = 1000)
        void run();
    }

    @DistributedLock(name = "job")
    static class OfClass implements Job {
        @Override
        public void run() {}
    }

    static class Accepted {

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", waitTime = 0, minHold = 1000, onNotGranted = OnNotGranted.SKIP)
        public void keptWithOneAttempt() {}

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "once", waitTime = 0)
        @DistributedLock(name = "stock")
        @DistributedSemaphore(name = "jobs", permits = 2)
        public void oneOfThemWithOneAttempt() {}

        @DistributedLock(name = "not scheduled", minHold = 1000)
        public void notScheduled() {}

        @ScheduledLock(name = "report", minHold = "1m", maxHold = "1h")
        public void report() {}

        @ScheduledLock(name = "second", minHold = "1s")
        public void second() {}

        @Scheduled(fixedDelay = 1000)
        @ScheduledLock(minHold = "PT30S")
        public void poll() {}
    }

    static class Kept {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", minHold = 60_000)
        public void run() {}
    }

    static class HardlyKept {
        @ScheduledLock(name = "report", minHold = "999ms")
        public void run() {}
    }

    static class KeptInMilliseconds {
        @ScheduledLock(name = "report", minHold = "60")
        public void run() {}
    }

    static class NotKept {
        @ScheduledLock(name = "report", minHold = "0")
        public void run() {}
    }
}
