package io.github.lockstarter.integration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Auto-configuration of a lock registry for Spring Integration. It backs off if the application defines one, and
 * requires Spring Integration 7, which introduced {@link DistributedLock}.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(DistributedLock.class)
@ConditionalOnSingleCandidate(LockRegistry.class)
public final class DistributedLockIntegrationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(org.springframework.integration.support.locks.LockRegistry.class)
    IntegrationLockRegistry distributedLockIntegrationRegistry(LockRegistry registry) {
        return new IntegrationLockRegistry(registry);
    }
}
