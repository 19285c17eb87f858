package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * No store can be had. An application that uses no lock starts all the same; one that does is told at start-up what is
 * missing.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean({LockStore.class, LockRegistry.class})
class MissingStoreConfiguration {

    /** The properties are asked for so that a wrong one is complained about first. */
    @Bean
    @Lazy
    LockRegistry distributedLockRegistry(
            ConfigurableListableBeanFactory beanFactory, DistributedLockProperties properties) {
        throw MissingLockStoreException.in(beanFactory, "");
    }

    /** Not lazy even where everything else is: it is the one that speaks up at the start. */
    @Bean
    @Lazy(false)
    MissingStoreCheck distributedLockMissingStoreCheck(
            ConfigurableListableBeanFactory beanFactory, DistributedLockProperties properties) {
        return new MissingStoreCheck(beanFactory, properties.enabled());
    }
}
