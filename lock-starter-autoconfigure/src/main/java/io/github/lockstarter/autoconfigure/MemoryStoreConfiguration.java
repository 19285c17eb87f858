package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configuration of the store in memory, which requires no class of a Redis client. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "memory")
class MemoryStoreConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockStore.class)
    InMemoryLockStore distributedLockStore() {
        return new InMemoryLockStore();
    }
}
