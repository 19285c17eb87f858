package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.text.LockLog;
import java.util.Arrays;
import java.util.Map;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Warns at start-up if Spring Boot has put the cache into a Redis to which nothing in the application refers: the class
 * path contains Spring Data Redis because of locks, and Spring Boot prefers it to a cache in memory.
 */
final class UnintendedRedisCache implements SmartInitializingSingleton {

    private static final LockLog logger = LockLog.of(UnintendedRedisCache.class);

    private final ConfigurableListableBeanFactory beanFactory;

    private final Environment environment;

    UnintendedRedisCache(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (isOfSpringBoot(RedisCacheManager.class)
                && isOfSpringBoot(RedisConnectionFactory.class)
                && isOfSpringBoot(ConnectionDetails.class)
                && !isConfigured()) {
            logger.warn("Spring Boot keeps the caches of this application in Redis, because the starter for distributed"
                    + " locks has added Spring Data Redis, and no property spring.data.redis.* names a server. Set"
                    + " spring.cache.type=simple for caches in memory, or another type; spring.cache.type=redis if Redis"
                    + " is meant.");
        }
    }

    /** Returns whether auto-configurations of Spring Boot define all beans of the type, without creating them. */
    private boolean isOfSpringBoot(Class<?> type) {
        return Arrays.stream(this.beanFactory.getBeanNamesForType(type, true, false))
                .filter(name -> type != ConnectionDetails.class || isOfRedis(name))
                .allMatch(name -> {
                    String configuration = this.beanFactory.containsBeanDefinition(name)
                            ? this.beanFactory.getBeanDefinition(name).getFactoryBeanName()
                            : null;
                    return configuration != null && configuration.startsWith("org.springframework.boot.");
                });
    }

    /** Compares the name of the type, because Spring Boot 3 and 4 have different types. */
    private boolean isOfRedis(String connectionDetails) {
        Class<?> type = this.beanFactory.getType(connectionDetails, false);
        return type != null && type.getSimpleName().contains("Redis");
    }

    private boolean isConfigured() {
        Binder binder = Binder.get(this.environment);
        return binder.bind("spring.cache.type", String.class).isBound()
                || binder.bind("spring.cache.redis", Bindable.mapOf(String.class, Object.class))
                        .isBound()
                // Those of repositories do not name a server.
                || binder
                        .bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
                        .orElse(Map.of())
                        .keySet()
                        .stream()
                        .anyMatch(property -> !property.equals("repositories"));
    }
}
