package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLockConnectionFactory;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Configuration of the store in Redis, if there is a single candidate for the connection factory. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis", matchIfMissing = true)
class RedisStoreConfiguration {

    /**
     * Creates the store. A connection factory that is marked for locks takes precedence over the only or primary one.
     */
    @Bean
    @ConditionalOnMissingBean(LockStore.class)
    @Conditional(OnConnectionFactoryForLocks.class)
    RedisLockStore distributedLockStore(
            @DistributedLockConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
            ObjectProvider<RedisConnectionFactory> factories,
            ConfigurableListableBeanFactory beanFactory,
            DistributedLockProperties properties) {
        RedisConnectionFactory factory = marked.getIfUnique();
        if (factory == null && MarkedConnectionFactories.in(beanFactory).size() > 1) {
            throw MissingLockStoreException.in(beanFactory, "");
        }
        return new RedisLockStore(factory != null ? factory : factories.getObject(), properties.redisSettings());
    }
}
