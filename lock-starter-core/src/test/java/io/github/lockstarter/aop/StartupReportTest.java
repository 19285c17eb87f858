package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/**
 * What the start reports: each name once to the listener, methods that run without their locks, leases that are too
 * short.
 */
class StartupReportTest {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    @AutoClose
    private final LogCapture log = new LogCapture(StartupReport.class.getName());

    private void listen(DistributedLockBeanPostProcessor processor) {
        processor.setNameListener((name, mode) -> this.heard.add(mode == LockMode.WRITE ? name : name + ' ' + mode));
    }

    private List<String> warnings() {
        return this.log.with("");
    }

    @Test
    void shouldReportTheNamesWhenTheApplicationHasStarted() {
        LockedContext context = LockedContext.prepare(this::listen, Orders.class, Advised.class);
        context.registerBean(Last.class, () -> new Last(List.copyOf(this.heard)));

        context.property("invoices", "invoices-eu").refresh();
        try (context) {
            assertThat(context.getBean(Last.class).heardBefore()).isEmpty();
            assertThat(this.heard)
                    .containsExactly(
                            "Last.run",
                            "Orders.ship",
                            "Reports.print",
                            "customers",
                            "customers READ",
                            "invoices-eu",
                            "suppliers PERMIT");
            assertThat(warnings()).isEmpty();
        }
    }

    @Test
    void shouldReportLaterBeansOnCreation() {
        try (LockedContext context = LockedContext.with(this::listen, Late.class, Prototype.class)) {
            assertThat(this.heard).isEmpty();
            context.getBean(Late.class);
            assertThat(this.heard).containsExactly("Late.run");
            context.getBean(Prototype.class);
            context.getBean(Prototype.class);
            assertThat(this.heard).containsExactly("Late.run", "Prototype.run");
        }
    }

    @Test
    void shouldListMethodsThatRunWithoutTheirLocks() {
        Consumer<DistributedLockBeanPostProcessor> disabled = processor -> {
            listen(processor);
            processor.setEnabled(false);
        };
        try (LockedContext context =
                LockedContext.with(disabled, Late.class, Reports.class, Unsupported.class, Limited.class)) {
            context.getBean(Limited.class).run();

            assertThat(context.calls.requests).isEmpty();
            assertThat(AopUtils.isAopProxy(context.getBean(Limited.class))).isFalse();
            assertThat(warnings())
                    .containsExactly(
                            "Distributed locks are disabled (distributed-lock.enabled=false). These methods run"
                                    + " WITHOUT their lock or permits: "
                                    + String.join(
                                            ", ",
                                            Limited.class.getName() + ".run",
                                            Reports.class.getName() + ".print",
                                            Unsupported.class.getName() + ".run"));
            context.getBean(Late.class);
            assertThat(warnings())
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains("Late.run")
                    .doesNotContain("Reports");
            assertThat(this.heard).isEmpty();
        }
    }

    @Test
    void shouldNotMentionDisabledLocksWithoutAnnotatedMethods() {
        LockedContext.with(processor -> processor.setEnabled(false)).close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldReportADoubtfulKeyOnce() {
        try (LockedContext context = LockedContext.of(Shipping.class)) {
            context.getBean(Ships.class).ship(new Parcel());
            context.getBean(Ships.class).ship(new Parcel());
        }

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains(Shipping.class.getName() + ".ship(Parcel)", "key \"#parcel\"", "#parcel.id");
    }

    static class Parcel {

        private final String status = "new";

        private final String id = "1";

        public String getId() {
            return this.id;
        }

        @Override
        public String toString() {
            return this.id + this.status;
        }
    }

    interface Ships {
        void ship(Parcel parcel);
    }

    static class Shipping implements Ships {
        @Override
        @DistributedLock(key = "#parcel")
        public void ship(Parcel parcel) {}
    }

    @Test
    void shouldReportShortLeases() {
        LockedContext.of(Jobs.class).close();

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains("'short'", Jobs.class.getName() + ".runShortly()", "999ms");
    }

    @Test
    void shouldReportShortLeasesOfPropertiesInsteadOfTheAnnotations() {
        LockedContext.with(lease("short", Duration.ofMillis(500)), Jobs.class).close();
        LockedContext.with(lease("other", Duration.ofMillis(1))).close();

        assertThat(this.log.with("fixed lease"))
                .hasSize(2)
                .noneMatch(line -> line.contains("runShortly"))
                .anyMatch(line -> line.contains("distributed-lock.locks.short.lease is 500ms"))
                .anyMatch(line -> line.contains("locks.other.lease"));
    }

    @Test
    void shouldNotReportPropertiesThatLengthenTheLeaseOrHaveItRenewed() {
        LockedContext.with(lease("short", Duration.ofSeconds(1)), Jobs.class).close();
        LockedContext.with(lease("short", Duration.ofMillis(-1)), Jobs.class).close();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldReportMethodsWithTheSameKeyAndDerivedNames() {
        LockedContext.of(SameKeys.class, SameKeysOfClass.class, OtherKeys.class).close();

        assertThat(warnings())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                SameKeys.class.getName(),
                                "#id",
                                "SameKeys.cancel",
                                "SameKeys.settle",
                                "#order.id",
                                "SameKeys.pack",
                                "SameKeys.ship",
                                "name")
                        .doesNotContain("SameKeys.named", "SameKeys.alone", "SameKeys.limit"))
                .anySatisfy(line ->
                        assertThat(line).contains(SameKeysOfClass.class.getName(), "OfClass.one", "OfClass.two"));
    }

    @Test
    void shouldReportASharedKeyOnceForAClass() {
        try (LockedContext context = LockedContext.of(SameKeysLater.class)) {
            context.getBean(SameKeysLater.class);
            context.getBean(SameKeysLater.class);
            assertThat(warnings()).hasSize(1);
        }
    }

    private static LockSettings lease(String name, Duration lease) {
        NamedSettings settings = new NamedSettings(
                name,
                null,
                new NamedValue<>(NamedSettings.property(name, "lease"), lease),
                null,
                null,
                null,
                null,
                null);
        return LockSettings.of(Duration.ofSeconds(30)).withNamed(new SettingsByName(List.of(settings)));
    }

    static class Orders {
        @DistributedLock(key = "#id")
        public void ship(String id) {}

        @DistributedLock(name = "${invoices}")
        public void invoice() {}

        @DistributedLock(name = "customers")
        @DistributedSemaphore(name = "suppliers", permits = 2)
        public void merge() {}

        @DistributedLock(name = "customers", mode = LockMode.READ)
        public void read() {}

        public void count() {}
    }

    @DistributedLock
    static class Reports {
        public void print() {}

        void helper() {}
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

    @Scope("prototype")
    static class Prototype {
        @DistributedLock
        public void run() {}
    }

    /** Is rejected if locks are enabled. */
    static final class Unsupported {
        @DistributedLock(minHold = -5, leaseString = "${missing}", key = "nonsense")
        public void run() {}
    }

    static class Limited {
        @DistributedSemaphore(permits = 2)
        public void run() {}
    }

    static class Jobs {
        @DistributedLock(name = "short", lease = 999)
        public void runShortly() {}

        @DistributedLock(name = "second", lease = 1000)
        public void runForASecond() {}

        @DistributedLock(name = "renewed")
        public void runRenewed() {}
    }

    static class SameKeys {
        @DistributedLock("#id")
        public void settle(String id) {}

        @DistributedLock(key = "#id", mode = LockMode.READ)
        public void cancel(String id) {}

        @DistributedLock("#order.id")
        public void pack(Order order) {}

        @DistributedLock("#order.id")
        public void ship(Order order) {}

        @DistributedLock(name = "named", key = "#id")
        public void named(String id) {}

        @DistributedLock("#id + ''")
        public void alone(String id) {}

        @DistributedSemaphore(key = "#id", permits = 2)
        public void limit(String id) {}
    }

    @DistributedLock("#a0")
    static class SameKeysOfClass {
        public void one(String id) {}

        public void two(String id) {}
    }

    /** Nothing in it has the same key and a derived name. */
    static class OtherKeys {
        @DistributedLock("#id")
        public void one(String id) {}

        @DistributedLock(name = "one", key = "#id")
        public void two(String id) {}

        @DistributedLock(name = "one", key = "#id")
        public void three(String id) {}

        @DistributedLock("#id.length()")
        public void four(String id) {}

        @DistributedLock
        public void five() {}

        @DistributedLock
        public void six() {}

        @DistributedSemaphore(key = "#id", permits = 2)
        public void seven(String id) {}

        @DistributedSemaphore(key = "#id", permits = 2)
        public void eight(String id) {}
    }

    @Scope("prototype")
    static class SameKeysLater {
        @DistributedLock("#id")
        public void one(String id) {}

        @DistributedLock("#id")
        public void two(String id) {}
    }

    record Order(String id) {}
}
