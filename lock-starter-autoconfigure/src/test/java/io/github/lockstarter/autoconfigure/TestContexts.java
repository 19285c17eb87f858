package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.testsupport.RedisServer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** Contexts to test in. */
final class TestContexts {

    private TestContexts() {}

    /** Our auto-configurations and nothing else. */
    static ApplicationContextRunner ours() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DistributedLockAutoConfiguration.class,
                        DistributedLockMetricsAutoConfiguration.class,
                        DistributedLockObservationAutoConfiguration.class));
    }

    /** Our auto-configurations and nothing else, with locks in memory. */
    static ApplicationContextRunner inMemory() {
        return ours().withPropertyValues("distributed-lock.store=memory");
    }

    /** All auto-configurations on the class path, as in an application. */
    static ApplicationContextRunner application() {
        return new ApplicationContextRunner().withUserConfiguration(Application.class);
    }

    /** All auto-configurations on the class path, with a real Redis. */
    static ApplicationContextRunner application(RedisServer redis) {
        return application()
                .withPropertyValues("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
