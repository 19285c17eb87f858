package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Configuration for applications without a store. An application that uses no lock starts nevertheless; others fail at
 * start-up with what is missing.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean({LockStore.class, LockRegistry.class})
class MissingStoreConfiguration {

    /** Throws when the registry is used. The properties are injected so that an invalid one is reported first. */
    @Bean
    @Lazy
    LockRegistry distributedLockRegistry(
            ConfigurableListableBeanFactory beanFactory, DistributedLockProperties properties) {
        throw MissingLockStoreException.in(beanFactory, "");
    }

    /** Creates the check of annotated beans; never lazy, because it must run at start-up. */
    @Bean
    @Lazy(false)
    MissingStoreCheck distributedLockMissingStoreCheck(
            ConfigurableListableBeanFactory beanFactory, DistributedLockProperties properties) {
        return new MissingStoreCheck(beanFactory, properties.enabled());
    }
}
