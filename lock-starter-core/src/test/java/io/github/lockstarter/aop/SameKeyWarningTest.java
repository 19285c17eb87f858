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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;

/** Methods with the same key and without a name appear to exclude each other but do not. */
class SameKeyWarningTest {

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
    void shouldBeLoggedForMethodsOfOneClass() {
        LockedContext.of(Orders.class).close();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains(Orders.class.getName() + ".cancel", Orders.class.getName() + ".settle", "\"#orderId\"")
                .contains("do not exclude each other", "name = \"")
                .doesNotContain("ship", "print");
    }

    @Test
    void shouldBeLoggedForAnAnnotatedClass() {
        LockedContext.of(Covered.class).close();

        assertThat(warnings()).singleElement().asString().contains("Covered.first", "Covered.second");
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
    @ValueSource(classes = {Named.class, OtherKeys.class, NoKeys.class, NamedClass.class, Several.class})
    void shouldNotBeLogged(Class<?> bean) {
        LockedContext.of(bean).close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNotBeLoggedForDifferentClassesOrDisabledLocks() {
        LockedContext.of(OtherKeys.class, Several.class).close();
        LockedContext.with(processor -> processor.setEnabled(false), Orders.class)
                .close();

        assertThat(warnings().stream().filter(warning -> warning.contains("exclude")))
                .isEmpty();
    }

    private List<String> warnings() {
        return this.log.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    static class Orders {

        @DistributedLock(key = "#orderId")
        public void settle(String orderId) {}

        @DistributedLock(key = " #orderId ")
        public void cancel(String orderId) {}

        @DistributedLock(name = "shipment", key = "#orderId")
        public void ship(String orderId) {}

        @DistributedLock(key = "#id")
        public void print(String id) {}
    }

    @DistributedLock("#id")
    static class Covered {

        public void first(String id) {}

        public void second(String id) {}
    }

    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Prototype {

        @DistributedLock("#id")
        public void first(String id) {}

        @DistributedLock("#id")
        public void second(String id) {}
    }

    static class Named {

        @DistributedLock(name = "order", key = "#id")
        public void settle(String id) {}

        @DistributedLock(name = "order", key = "#id")
        public void cancel(String id) {}
    }

    static class OtherKeys {

        @DistributedLock("#orderId")
        public void settle(String orderId) {}

        @DistributedLock("#id")
        public void cancel(String id) {}
    }

    static class NoKeys {

        @DistributedLock
        public void settle() {}

        @DistributedLock
        public void cancel() {}
    }

    @DistributedLock(name = "order", key = "#id")
    static class NamedClass {

        public void settle(String id) {}

        public void cancel(String id) {}
    }

    static class Several {

        @DistributedLock("#from")
        @DistributedLock("#to")
        public void move(String from, String to) {}
    }
}
