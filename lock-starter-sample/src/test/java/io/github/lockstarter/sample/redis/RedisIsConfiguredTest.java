package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

class RedisIsConfiguredTest {

    private final ApplicationContextRunner contexts =
            new ApplicationContextRunner().withUserConfiguration(Choice.class);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url=redis://localhost",
                "host=localhost",
                "port=6379",
                "cluster.nodes=localhost:7000,localhost:7001",
                "cluster.nodes[0]=localhost:7000",
                "sentinel.nodes[0]=localhost:26379",
                "masterreplica.nodes=localhost:6379"
            })
    void byAnAddress(String property) {
        contexts.withPropertyValues("spring.data.redis." + property)
                .run(context -> assertThat(context).hasBean("configured").doesNotHaveBean("embedded"));
    }

    @Test
    void byAnEnvironmentVariable() {
        TestPropertyValues variables = TestPropertyValues.of(Map.of("SPRING_DATA_REDIS_HOST", "localhost"));
        contexts.withInitializer(context ->
                        variables.applyTo(context.getEnvironment(), TestPropertyValues.Type.SYSTEM_ENVIRONMENT))
                .run(context -> assertThat(context).hasBean("configured").doesNotHaveBean("embedded"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"timeout=2s", "repositories.enabled=false", "lettuce.pool.enabled=false"})
    void notByAnythingElse(String property) {
        contexts.withPropertyValues("spring.data.redis." + property)
                .run(context -> assertThat(context).hasBean("embedded").doesNotHaveBean("configured"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Choice {

        @Bean
        @Conditional(RedisIsConfigured.class)
        String configured() {
            return "configured";
        }

        @Bean
        @Conditional(NoRedisConfigured.class)
        String embedded() {
            return "embedded";
        }
    }
}
