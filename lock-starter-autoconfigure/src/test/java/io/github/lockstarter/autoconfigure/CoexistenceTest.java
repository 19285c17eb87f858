package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Nothing that Spring Boot configures may be missing because of us. */
class CoexistenceTest {

    private final ApplicationContextRunner application = TestContexts.application()
            .withUserConfiguration(Scheduling.class)
            .withPropertyValues("spring.data.redis.port=1");

    @Test
    void shouldLeaveWhatSpringBootConfigures() {
        this.application.run(context -> {
            assertThat(context).hasNotFailed().hasBean("distributedLockRegistry");
            assertThat(context).getBean("applicationTaskExecutor").isInstanceOf(TaskExecutor.class);
            assertThat(context).getBean("taskScheduler").isInstanceOf(TaskScheduler.class);
            assertThat(context).getBean("stringRedisTemplate").isInstanceOf(StringRedisTemplate.class);
            assertThat(context).getBean("redisTemplate").isInstanceOf(RedisOperations.class);
        });
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Executor.class,
                TaskScheduler.class,
                ScheduledExecutorService.class,
                RedisConnectionFactory.class,
                ReactiveRedisConnectionFactory.class,
                RedisOperations.class,
                RedisMessageListenerContainer.class
            })
    void shouldExposeNothingThatOthersBackOffFrom(Class<?> type) {
        this.application.run(context ->
                assertThat(context.getBeanNamesForType(type)).noneMatch(name -> name.startsWith("distributedLock")));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}
}
