package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.Scheduled;

/** What is reported and rejected at start-up for semaphores and readers, as for locks. */
class SemaphoreAtStartTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(SemaphoreAtStartTest.class.getPackageName());

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

    @Test
    void shouldReportNamesWithTheirModes() {
        List<String> named = new ArrayList<>();
        LockNameListener listener = (lockName, mode) -> named.add(lockName + ' ' + mode);

        LockedContext.with(processor -> processor.setNameListener(listener), Catalog.class)
                .close();

        assertThat(named).containsExactly("Catalog.print WRITE", "catalog WRITE", "catalog READ", "printers PERMIT");
    }

    @Test
    void shouldListSemaphoresAmongDisabledMethods() {
        try (LockedContext context = LockedContext.with(processor -> processor.setEnabled(false), Catalog.class)) {
            context.getBean(Catalog.class).print();

            assertThat(context.registry.requests).isEmpty();
            assertThat(warnings()).singleElement().asString().contains(Catalog.class.getName() + ".export");
        }
    }

    @Test
    void shouldWarnAboutTheSameKeyOfSemaphoresWithoutNames() {
        LockedContext.of(SameKeys.class).close();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains(SameKeys.class.getName() + ".one", SameKeys.class.getName() + ".two", "permits", "semaphore")
                .doesNotContain("three");
    }

    @Test
    void shouldWarnAboutScheduledJobsThatEveryInstanceRuns() {
        LockedContext.of(Jobs.class).close();

        assertThat(warnings())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("Jobs.limited()", "permits", "@DistributedLock"))
                .anySatisfy(line -> assertThat(line).contains("Jobs.reading()", "at the same time"));
    }

    @Test
    void shouldRejectBeansThatAreCreatedTooEarly() {
        assertThat(LockedContext.rejectionOf(Early.class))
                .hasMessageContaining("@DistributedSemaphore on " + Limited.class.getName() + ".run()")
                .hasMessageContaining("'limited'");
    }

    @Test
    void shouldFindAnnotationsOfInterfacesAndAddToExistingProxies() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(Proxies.class)) {
            context.getBean("printer", Printing.class).print();
            context.getBean("advised", Printing.class).print();

            assertThat(context.registry.requests)
                    .hasSize(2)
                    .allSatisfy(request -> assertThat(request.mode()).isEqualTo(LockMode.PERMIT));
        }
    }

    static class Catalog {

        @DistributedSemaphore(name = "printers", permits = 2)
        @DistributedLock
        public void print() {}

        @DistributedSemaphore(name = "printers", permits = 2)
        public void export() {}

        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void read() {}

        @DistributedLock(name = "catalog")
        public void write() {}
    }

    static class SameKeys {

        @DistributedSemaphore(key = "#id", permits = 2)
        public void one(String id) {}

        @DistributedSemaphore(key = "#id", permits = 2)
        public void two(String id) {}

        @DistributedLock(key = "#id")
        public void three(String id) {}
    }

    static class Jobs {

        @Scheduled(fixedDelay = 1000)
        @DistributedSemaphore(permits = 2)
        public void limited() {}

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(mode = LockMode.READ)
        public void reading() {}

        @Scheduled(fixedDelay = 1000)
        @DistributedLock(waitTime = 0)
        @DistributedSemaphore(name = "jobs", permits = 2)
        public void once() {}
    }

    static class Limited {

        @DistributedSemaphore(permits = 2)
        public void run() {}
    }

    static class Early {

        @Bean
        static Limited limited() {
            return new Limited();
        }

        /** Created before the post-processor of locks, with what it needs. */
        @Bean
        static Impatient impatient(Limited limited) {
            return new Impatient();
        }
    }

    static class Impatient implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    interface Printing {

        @DistributedSemaphore(name = "printers", permits = 2)
        void print();
    }

    static class Printer implements Printing {

        @Override
        public void print() {}
    }

    static class Proxies {

        @Bean
        static Printing printer() {
            return new Printer();
        }

        @Bean
        static Printing advised() {
            ProxyFactory factory = new ProxyFactory(new Printer());
            factory.setInterfaces(Printing.class);
            return (Printing) factory.getProxy();
        }
    }
}
