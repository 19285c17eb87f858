package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.OnNotGranted;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

/** A job that waits for its lock runs in every instance, one after the other, instead of once for all instances. */
class ScheduledJobWarningTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(ScheduledJobWarning.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        this.log.start();
        this.logger.setLevel(Level.WARN);
        this.logger.addAppender(this.log);
    }

    @AfterEach
    void stopListening() {
        this.logger.detachAppender(this.log);
        this.logger.setLevel(null);
    }

    private List<String> warnings() {
        return this.log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ByDefault.class,
                Waiting.class,
                Forever.class,
                AsText.class,
                Repeated.class,
                Contained.class,
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
    @ValueSource(
            classes = {TriedOnce.class, TriedOnceAndKept.class, Kept.class, NotScheduled.class, OneTriedOnce.class})
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

    static class Forever {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "job", waitTime = -1)
        public void run() {}
    }

    static class AsText {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "job", waitTimeString = "5s", onNotGranted = OnNotGranted.SKIP)
        public void run() {}
    }

    static class Repeated {
        @Scheduled(cron = "0 0 3 * * *")
        @Scheduled(cron = "0 0 4 * * *")
        @DistributedLock(name = "job")
        public void run() {}
    }

    static class Contained {
        @Schedules(@Scheduled(cron = "0 0 3 * * *"))
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

    static class NotScheduled {
        @DistributedLock(name = "job")
        public void run() {}
    }

    static class OneTriedOnce {
        @Scheduled(fixedDelay = 1000)
        @DistributedLock(name = "job", waitTime = 0)
        @DistributedLock(name = "stock")
        public void run() {}
    }
}
