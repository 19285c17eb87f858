package io.github.lockstarter.health.boot3;

import io.github.lockstarter.LockHealthDetails;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.registry.GrantFence;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Auto-configuration of the health component {@code distributedLock} for Spring Boot 3. */
@AutoConfiguration(afterName = "io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration")
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("distributed-lock")
public final class DistributedLockBoot3HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"distributedLockHealthIndicator", "distributedLockHealthContributor"})
    @ConditionalOnSingleCandidate(LockInventory.class)
    LockHealthIndicator distributedLockHealthIndicator(
            LockInventory inventory, ObjectProvider<GrantFence> fences, ObjectProvider<LockHealthDetails> details) {
        return new LockHealthIndicator(
                inventory, fences.getIfAvailable(), details.orderedStream().toList());
    }
}
