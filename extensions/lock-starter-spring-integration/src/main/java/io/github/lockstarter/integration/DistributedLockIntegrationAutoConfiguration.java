package io.github.lockstarter.integration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of a lock registry for Spring Integration 7, or for version 6.5, whose locks have another type. It
 * backs off if the application defines one.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(org.springframework.integration.support.locks.LockRegistry.class)
@ConditionalOnSingleCandidate(LockRegistry.class)
@ConditionalOnMissingBean(org.springframework.integration.support.locks.LockRegistry.class)
public final class DistributedLockIntegrationAutoConfiguration {

    private static final String SINCE_7 = "org.springframework.integration.support.locks.DistributedLock";

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = SINCE_7)
    static class Integration7Configuration {

        @Bean
        IntegrationLockRegistry distributedLockIntegrationRegistry(LockRegistry registry) {
            return new IntegrationLockRegistry(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(SINCE_7)
    static class Integration6Configuration {

        @Bean
        Integration6LockRegistry distributedLockIntegrationRegistry(LockRegistry registry) {
            return new Integration6LockRegistry(registry);
        }
    }
}
