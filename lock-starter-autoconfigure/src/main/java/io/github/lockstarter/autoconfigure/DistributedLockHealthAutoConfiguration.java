package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockHealthDetails;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.registry.GrantFence;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the health component {@code distributedLock} for Spring Boot 4. That for Spring Boot 3, which
 * has other types, is in the module {@code lock-starter-health-boot3}.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("distributed-lock")
public final class DistributedLockHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"distributedLockHealthIndicator", "distributedLockHealthContributor"})
    @ConditionalOnSingleCandidate(LockInventory.class)
    LockHealthIndicator distributedLockHealthIndicator(
            LockInventory inventory, ObjectProvider<GrantFence> fences, ObjectProvider<LockHealthDetails> details) {
        return new LockHealthIndicator(
                inventory, fences.getIfAvailable(), details.orderedStream().toList());
    }
}
