package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.testsupport.LogCapture;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A cache that moves to Redis only because the starter has brought Spring Data Redis. */
class UnintendedRedisCacheTest {

    @AutoClose
    private final LogCapture log = new LogCapture(UnintendedRedisCache.class, Level.WARN);

    private final ApplicationContextRunner caching = TestContexts.application()
            .withUserConfiguration(Caching.class)
            .withPropertyValues("distributed-lock.store=memory");

    private List<String> warningsOf(ApplicationContextRunner runner) {
        runner.run(context -> assertThat(context).hasNotFailed());
        return this.log.with("");
    }

    @Test
    void shouldNameThePropertyThatSelectsAnotherCache() {
        this.caching.run(context -> assertThat(context)
                .as("what Spring Boot selects")
                .getBean(CacheManager.class)
                .isInstanceOf(RedisCacheManager.class));

        assertThat(this.log.events())
                .singleElement()
                .asString()
                .contains("WARN", "caches of this application in Redis", "spring.cache.type=simple");
    }

    @Test
    void shouldWarnIfOnlyRepositoriesAreConfigured() {
        assertThat(warningsOf(this.caching.withPropertyValues("spring.data.redis.repositories.enabled=false")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.cache.type=redis",
                "spring.cache.type=simple",
                "spring.cache.type=none",
                "spring.cache.redis.time-to-live=10m",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.url=redis://127.0.0.1:6379",
                "spring.data.redis.cluster.nodes=127.0.0.1:6379",
                "spring.data.redis.client-name=application"
            })
    void shouldBeSilentIfThePropertiesShowAnIntention(String property) {
        assertThat(warningsOf(this.caching.withPropertyValues(property))).isEmpty();
    }

    @Test
    void shouldBeSilentOfACacheManagerOfTheApplication() {
        assertThat(warningsOf(this.caching.withBean("own", CacheManager.class, ConcurrentMapCacheManager::new)))
                .isEmpty();
    }

    @Test
    void shouldBeSilentOfARedisCacheManagerOfTheApplication() {
        assertThat(warningsOf(this.caching.withBean(
                        "own",
                        RedisCacheManager.class,
                        () -> RedisCacheManager.create(mock(RedisConnectionFactory.class)))))
                .isEmpty();
    }

    @Test
    void shouldBeSilentOfAConnectionFactoryOfTheApplication() {
        assertThat(warningsOf(this.caching.withBean(
                        "own", RedisConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", 1))))
                .isEmpty();
    }

    @Test
    void shouldBeSilentOfConnectionDetailsThatTestcontainersOrDockerComposeDefine() {
        assertThat(warningsOf(this.caching.withBean("own", ConnectionToRedis.class)))
                .isEmpty();
    }

    @Test
    void shouldNotTakeTheConnectionDetailsOfADatabaseForThoseOfRedis() {
        assertThat(warningsOf(this.caching.withBean("own", Connection.class))).hasSize(1);
    }

    @Test
    void shouldBeSilentWithoutACache() {
        assertThat(warningsOf(TestContexts.application().withPropertyValues("distributed-lock.store=memory")))
                .isEmpty();
    }

    @Test
    void shouldBeSilentIfLocksUseRedis() {
        assertThat(warningsOf(this.caching.withPropertyValues("distributed-lock.store=redis")))
                .as("the server of the locks at localhost may be that of the cache as well")
                .isEmpty();
    }

    @Test
    void shouldNotRequireTheClassesOfRedis() {
        assertThat(warningsOf(this.caching.withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))))
                .isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    static class Connection implements ConnectionDetails {}

    static class ConnectionToRedis implements ConnectionDetails {}
}
