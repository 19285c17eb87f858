package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** The listener receives each name of a locked method once, and none of a method without a lock. */
class LockNameListenerTest {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Test
    void shouldReceiveTheNamesWhenTheApplicationHasStarted() {
        LockedContext context = LockedContext.prepare(
                processor -> processor.setNameListener((name, mode) -> this.heard.add(name)),
                Orders.class,
                Advised.class);
        context.registerBean(Last.class, () -> new Last(List.copyOf(this.heard)));
        context.property("invoices", "invoices-eu").refresh();
        try (context) {
            assertThat(context.getBean(Last.class).heardBefore()).isEmpty();
            assertThat(this.heard)
                    .containsExactly(
                            "Last.run", "Orders.ship", "Reports.print", "customers", "invoices-eu", "suppliers");
        }
    }

    @Test
    void shouldReceiveTheNamesOfLaterBeansOnCreation() {
        try (LockedContext context = LockedContext.with(
                processor -> processor.setNameListener((name, mode) -> this.heard.add(name)),
                Late.class,
                Prototype.class)) {
            assertThat(this.heard).isEmpty();

            context.getBean(Late.class);
            assertThat(this.heard).containsExactly("Late.run");

            context.getBean(Prototype.class);
            context.getBean(Prototype.class);
            assertThat(this.heard).containsExactly("Late.run", "Prototype.run");
        }
    }

    @Test
    void shouldReceiveNothingWhenLocksAreDisabled() {
        LockedContext.with(
                        processor -> {
                            processor.setNameListener((name, mode) -> this.heard.add(name));
                            processor.setEnabled(false);
                        },
                        Late.class,
                        Reports.class)
                .close();

        assertThat(this.heard).isEmpty();
    }

    static class Orders {

        @DistributedLock(key = "#id")
        public void ship(String id) {}

        @DistributedLock(name = "${invoices}")
        public void invoice() {}

        @DistributedLock(name = "customers")
        @DistributedLock(name = "suppliers")
        public void merge() {}

        public void read() {}
    }

    @DistributedLock
    static class Reports {

        public void print() {}
    }

    /** Created after all others. */
    static class Last {

        private final List<String> heardBefore;

        Last(List<String> heardBefore) {
            this.heardBefore = heardBefore;
        }

        @DistributedLock
        public void run() {}

        List<String> heardBefore() {
            return this.heardBefore;
        }
    }

    /** Already has a proxy of another origin. */
    static class Advised {

        @Bean
        Reports reports() {
            ProxyFactory factory = new ProxyFactory(new Reports());
            factory.setProxyTargetClass(true);
            return (Reports) factory.getProxy();
        }
    }

    @Lazy
    static class Late {

        @DistributedLock
        public void run() {}
    }

    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    static class Prototype {

        @DistributedLock
        public void run() {}
    }
}
