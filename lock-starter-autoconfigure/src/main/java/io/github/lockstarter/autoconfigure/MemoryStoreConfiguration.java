package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.cache.RedisCacheManager;

/** Configuration of the store in memory, which requires no class of a Redis client. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "memory")
class MemoryStoreConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockStore.class)
    InMemoryLockStore distributedLockStore() {
        return new InMemoryLockStore();
    }

    /** A cache of the auto-configuration in Redis, which is not needed for locks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisCacheManager.class)
    @ConditionalOnBean(RedisCacheManager.class)
    static class RedisCacheConfiguration {

        @Bean
        UnintendedRedisCache distributedLockUnintendedRedisCache(
                ConfigurableListableBeanFactory beanFactory, Environment environment) {
            return new UnintendedRedisCache(beanFactory, environment);
        }
    }
}
