package io.github.lockstarter.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LeaseLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/** A registry for Spring Integration, if there is none, where there is a Spring Integration that it fits. */
class DistributedLockIntegrationAutoConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues("distributed-lock.store=memory");

    @Test
    void shouldMakeARegistryOverTheLocksOfTheApplication() {
        this.application.run(context -> {
            assertThat(context).getBeanNames(LockRegistry.class).containsExactly("distributedLockIntegrationRegistry");

            LockRegistry<?> locks = context.getBean(LockRegistry.class);
            LeaseLock ours =
                    context.getBean(io.github.lockstarter.LockRegistry.class).getLock("integration:42");
            locks.executeLocked("42", () -> {
                assertThat(ours.isHeldByCurrentThread()).isTrue();
            });
        });
    }

    @Test
    void shouldBackOffFromAnotherRegistry() {
        this.application
                .withBean("locks", DefaultLockRegistry.class, DefaultLockRegistry::new)
                .run(context ->
                        assertThat(context).getBeanNames(LockRegistry.class).containsExactly("locks"));
    }

    @Test
    void shouldKeepAwayFromOlderVersionsAndFromNone() {
        for (FilteredClassLoader classLoader : new FilteredClassLoader[] {
            new FilteredClassLoader(DistributedLock.class), new FilteredClassLoader("org.springframework.integration")
        }) {
            this.application
                    .withClassLoader(classLoader)
                    .run(context -> assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(io.github.lockstarter.LockRegistry.class)
                            .doesNotHaveBean("distributedLockIntegrationRegistry"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
