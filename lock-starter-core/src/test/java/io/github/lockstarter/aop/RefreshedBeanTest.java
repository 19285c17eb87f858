package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.env.MapPropertySource;

/**
 * A bean of a scope that is refreshed, as by Spring Cloud's {@code @RefreshScope}, is locked again when it is created
 * again.
 */
class RefreshedBeanTest {

    @Test
    void shouldReadPlaceholdersOnceForAllBeansOfAClass() {
        RefreshedScope scope = new RefreshedScope();
        try (LockedContext context = LockedContext.prepare(processor -> {})) {
            context.getBeanFactory().registerScope("refreshed", scope);
            context.register(Settings.class);
            context.property("queue", "first");
            context.refresh();
            Settings settings = context.getBean(Settings.class);
            assertThat(settings.lockName()).isEqualTo("first");

            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("new", Map.of("queue", "second")));
            assertThat(context.getEnvironment().getProperty("queue")).isEqualTo("second");
            scope.refresh();

            assertThat(settings.lockName()).as("lock of the second bean").isEqualTo("first");
            assertThat(settings.number()).as("number of the bean").isEqualTo(2);
        }
    }

    @org.springframework.context.annotation.Scope(value = "refreshed", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Settings {

        private static final AtomicInteger CREATED = new AtomicInteger();

        private final int number = CREATED.incrementAndGet();

        @DistributedLock(name = "${queue}")
        public String lockName() {
            return LeaseContext.required().name();
        }

        public int number() {
            return this.number;
        }
    }

    private static final class RefreshedScope implements Scope {

        private final Map<String, Object> beans = new HashMap<>();

        void refresh() {
            this.beans.clear();
        }

        @Override
        public Object get(String name, ObjectFactory<?> objectFactory) {
            return this.beans.computeIfAbsent(name, key -> objectFactory.getObject());
        }

        @Override
        public Object remove(String name) {
            return this.beans.remove(name);
        }

        @Override
        public void registerDestructionCallback(String name, Runnable callback) {}
    }
}
