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

/** A registry for Spring Integration, if there is none. */
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

    /** The version of Spring Boot 3.5, on which the tests of the lines use this bean. */
    @Test
    void shouldMakeARegistryForVersion6() {
        this.application
                .withClassLoader(new FilteredClassLoader(DistributedLock.class))
                .run(context ->
                        assertThat(context).getBean(LockRegistry.class).isInstanceOf(Integration6LockRegistry.class));
    }

    @Test
    void shouldKeepAwayWithoutSpringIntegration() {
        this.application
                .withClassLoader(new FilteredClassLoader("org.springframework.integration"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(io.github.lockstarter.LockRegistry.class)
                        .doesNotHaveBean("distributedLockIntegrationRegistry"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
