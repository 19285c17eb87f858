package io.github.lockstarter.sample.redis;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Uses the Redis that somebody configured, or else starts one, and keeps to one Redis per database. */
@Configuration(proxyBeanMethods = false)
class RedisConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    RunningInstances runningInstances(
            JdbcClient jdbc,
            PlatformTransactionManager transactions,
            ApplicationArguments arguments,
            @Value("${server.port}") int port) {
        return new RunningInstances(jdbc, new TransactionTemplate(transactions), new LaunchCommand(arguments, port));
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(NoRedisConfigured.class)
    static class Embedded {

        @Bean
        EmbeddedRedis embeddedRedis(RunningInstances instances) {
            return instances.startFirst(EmbeddedRedis::start);
        }

        /** Stands in for {@code spring.data.redis.*}. */
        @Bean
        DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
            return redis.connectionDetails();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Conditional(RedisIsConfigured.class)
    static class Configured {

        @Bean
        SmartInitializingSingleton noteOfConfiguredRedis(
                RunningInstances instances, DataRedisConnectionDetails details) {
            return () -> instances.join(RedisAddress.of(details));
        }
    }
}
