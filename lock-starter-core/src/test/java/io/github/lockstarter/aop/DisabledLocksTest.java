package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.DistributedLock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Lazy;

class DisabledLocksTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(StartupReport.class);

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

    @Test
    void shouldRunMethodsWithoutTheirLockAndLogThem() {
        try (LockedContext context = disabled(Orders.class, Unsupported.class, Reports.class)) {
            context.getBean(Orders.class).ship();

            assertThat(context.registry.requests).isEmpty();
            assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isFalse();
            assertThat(warnings())
                    .singleElement()
                    .asString()
                    .isEqualTo("Distributed locks are disabled (distributed-lock.enabled=false). These methods run"
                            + " WITHOUT their lock or permits: "
                            + String.join(
                                    ", ",
                                    Orders.class.getName() + ".ship",
                                    Reports.class.getName() + ".print",
                                    Unsupported.class.getName() + ".run"));
        }
    }

    @Test
    void shouldLogMethodsOfBeansThatAreCreatedLater() {
        try (LockedContext context = disabled(Orders.class, Late.class)) {
            assertThat(warnings())
                    .singleElement()
                    .asString()
                    .contains("Orders.ship")
                    .doesNotContain("Late");

            context.getBean(Late.class);

            assertThat(warnings())
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains("Late.run")
                    .doesNotContain("Orders");
        }
    }

    @Test
    void shouldNotLogWithoutAnnotatedMethods() {
        disabled().close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNotLogWhileLocksAreEnabled() {
        LockedContext.of(Orders.class).close();

        assertThat(warnings()).isEmpty();
    }

    private static LockedContext disabled(Class<?>... components) {
        return LockedContext.with(processor -> processor.setEnabled(false), components);
    }

    private List<String> warnings() {
        return this.log.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    static class Orders {

        @DistributedLock
        public void ship() {}
    }

    /** Is rejected if locks are enabled. */
    static final class Unsupported {

        @DistributedLock(minHold = -5, leaseString = "${missing}", key = "nonsense")
        public void run() {}
    }

    @DistributedLock
    static class Reports {

        public void print() {}

        void helper() {}
    }

    @Lazy
    static class Late {

        @DistributedLock
        public void run() {}
    }
}
