package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.registry.GrantFence;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Auto-configuration of the actuator endpoint {@code locks}, if it is exposed. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
@ConditionalOnSingleCandidate(LockRegistry.class)
@EnableConfigurationProperties(DistributedLockProperties.class)
public final class DistributedLockEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(LockInventory.class)
    LocksEndpoint distributedLockEndpoint(
            LockInventory inventory,
            LockRegistry registry,
            DistributedLockProperties properties,
            ObjectProvider<DistributedLockBeanPostProcessor> postProcessors,
            ObjectProvider<GrantFence> fences,
            Environment environment) {
        DistributedLockBeanPostProcessor postProcessor = postProcessors.getIfUnique();
        SettingsInForce settings = new SettingsInForce(
                properties.settings(),
                () -> postProcessor != null ? postProcessor.annotatedLocks() : List.of(),
                environment);
        return new LocksEndpoint(inventory, registry, settings, fences);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(LocksEndpoint.class)
    LocksEndpointWebExtension distributedLockEndpointWebExtension(LocksEndpoint endpoint) {
        return new LocksEndpointWebExtension(endpoint);
    }
}
