package io.github.lockstarter.test;

import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Observes the acquisitions of a context. The observer is defined after all conditions were evaluated, because an
 * observer of the auto-configuration would otherwise back off, and then receives all calls through this one.
 */
@Configuration(proxyBeanMethods = false)
class LockOrderConfiguration {

    private static final String NAME = "lockTestOrder";

    @Bean
    static BeanDefinitionRegistryPostProcessor lockTestOrderRegistrar() {
        return registry -> {
            RootBeanDefinition definition = new RootBeanDefinition(LockOrder.class);
            definition.setPrimary(true);
            registry.registerBeanDefinition(NAME, definition);
        };
    }
}
