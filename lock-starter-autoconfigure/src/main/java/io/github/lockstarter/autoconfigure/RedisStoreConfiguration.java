package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Locks in Redis, where there is one connection factory to choose. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "redis", matchIfMissing = true)
class RedisStoreConfiguration {

    @Bean
    @ConditionalOnMissingBean(LockStore.class)
    @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
    RedisLockStore distributedLockStore(RedisConnectionFactory factory, DistributedLockProperties properties) {
        return new RedisLockStore(factory, properties.redisSettings());
    }
}
