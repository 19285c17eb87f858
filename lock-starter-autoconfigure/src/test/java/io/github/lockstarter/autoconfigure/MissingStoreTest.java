package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;

class MissingStoreTest {

    private final ApplicationContextRunner ours = TestContexts.ours();

    @Test
    void shouldStartWhenNobodyUsesLocks() {
        this.ours.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockStore.class));
    }

    @Test
    void shouldFailWhenARegistryIsInjected() {
        this.ours
                .withBean(Orders.class)
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains(
                                            Orders.class.getName(),
                                            "LockRegistry",
                                            "distributed-lock.store=redis",
                                            "RedisConnectionFactory");
                            assertThat(analysis.getAction())
                                    .contains("spring-boot-starter-data-redis", "distributed-lock.store=memory");
                        }));
    }

    @Test
    void shouldFailWhenABeanHasALockedMethod() {
        this.ours
                .withBean("invoices", Invoices.class)
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains("'invoices'", "@DistributedLock", "RedisConnectionFactory");
                            assertThat(analysis.getAction()).contains("spring-boot-starter-data-redis");
                        }));
    }

    @Test
    void shouldFailWhenALockedMethodIsAnnotatedElsewhere() {
        this.ours
                .withBean("shipping", ShippingService.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(MissingLockStoreException.class)
                        .hasMessageContaining("'shipping'"));
    }

    @Test
    void shouldFailWhenABeanHasAMethodWithPermits() {
        this.ours
                .withBean("printers", Printers.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(MissingLockStoreException.class)
                        .hasMessageContaining("'printers'"));
    }

    @Test
    void shouldFailWhenALockedMethodHasTwoLocks() {
        this.ours
                .withBean("transfers", Transfers.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(MissingLockStoreException.class)
                        .hasMessageContaining("'transfers'"));
    }

    @Test
    void shouldFailAtFirstUseWhenTheRegistryIsAskedForLater() {
        this.ours.run(context -> {
            ObjectProvider<LockRegistry> registry = context.getBeanProvider(LockRegistry.class);
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(registry::getObject)
                    .withRootCauseInstanceOf(MissingLockStoreException.class);
        });
    }

    @Test
    void shouldRunWithoutLocksWhenTheyAreSwitchedOff() {
        this.ours
                .withBean("invoices", Invoices.class)
                .withPropertyValues("distributed-lock.enabled=false")
                .run(context ->
                        assertThat(context.getBean(Invoices.class).write()).isEqualTo("written"));
    }

    @Test
    void shouldNameTheConnectionFactoriesWhenNoneIsPrimary() {
        this.ours
                .withUserConfiguration(TwoFactories.class)
                .withBean(Orders.class)
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription()).contains("cacheRedis, sessionRedis");
                            assertThat(analysis.getAction()).contains("@DistributedLockConnectionFactory", "@Primary");
                        }));
    }

    @Test
    void shouldStartWithSeveralConnectionFactoriesWhenNobodyUsesLocks() {
        this.ours
                .withUserConfiguration(TwoFactories.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldTakeTheLockStoreWhenThereAreSeveralConnectionFactories() {
        this.ours
                .withUserConfiguration(TwoFactories.class)
                .withBean(LockStore.class, InMemoryLockStore::new)
                .withBean(Orders.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldTakeThePrimaryConnectionFactory() {
        this.ours
                .withUserConfiguration(TwoFactories.class, PrimaryFactory.class)
                .withPropertyValues("distributed-lock.redis.private-connection=false")
                .run(context -> assertThat(context).hasSingleBean(RedisLockStore.class));
    }

    @Test
    void shouldNotStartIfReplicasCannotConfirmOverThatConnectionFactory() {
        this.ours
                .withUserConfiguration(TwoFactories.class, PrimaryFactory.class)
                .withPropertyValues("distributed-lock.redis.confirm-replicas=1")
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains("Property: distributed-lock.redis.confirm-replicas");
                            assertThat(analysis.getAction()).contains("Lettuce");
                        }));
    }

    @Test
    void shouldSeeTheConnectionFactoryOfAnyOtherAutoConfiguration() {
        this.ours
                .withConfiguration(AutoConfigurations.of(ZFactoryAutoConfiguration.class))
                .withPropertyValues("distributed-lock.redis.private-connection=false")
                .run(context -> assertThat(context).hasSingleBean(RedisLockStore.class));
    }

    @Test
    void shouldSayTheSameWithoutSpringDataRedis() {
        this.ours
                .withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
                .withBean(Orders.class)
                .run(context -> assertThat(
                                FailureAnalyses.of(context.getStartupFailure()).getDescription())
                        .contains("RedisConnectionFactory"));
    }

    @Test
    void shouldNameAStoreThatIsNeither() {
        this.ours
                .withUserConfiguration(PrimaryFactory.class)
                .withBean(Orders.class)
                .withPropertyValues("distributed-lock.store=")
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription()).contains("distributed-lock.store", "\"\"");
                            assertThat(analysis.getAction()).contains("redis", "memory");
                        }));
    }

    @Test
    void shouldNameAConnectionFactoryThatCannotBeInjected() {
        this.ours
                .withBean("lateRedis", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class), bean -> {
                    ((AbstractBeanDefinition) bean).setAutowireCandidate(false);
                })
                .withBean(Orders.class)
                .run(context -> assertThat(
                                FailureAnalyses.of(context.getStartupFailure()).getDescription())
                        .contains("'lateRedis'", "RedisConnectionFactory"));
    }

    @Test
    void shouldComplainOfAWrongPropertyFirst() {
        this.ours
                .withBean(Orders.class)
                .withPropertyValues("distributed-lock.store=mongo")
                .run(context ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("mongo"));
    }

    static class Orders {

        Orders(LockRegistry registry) {}
    }

    static class Invoices {

        @DistributedLock
        String write() {
            return "written";
        }
    }

    static class Transfers {

        @DistributedLock(name = "from")
        @DistributedLock(name = "to")
        void move() {}
    }

    interface Shipping {

        @DistributedLock
        void ship();
    }

    static class ShippingService implements Shipping {

        @Override
        public void ship() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoFactories {

        @Bean
        RedisConnectionFactory cacheRedis() {
            return mock(RedisConnectionFactory.class);
        }

        @Bean
        RedisConnectionFactory sessionRedis() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryFactory {

        @Bean
        @Primary
        RedisConnectionFactory mainRedis() {
            return mock(RedisConnectionFactory.class);
        }
    }

    /** Comes after ours by its name, and says nothing about its place. */
    @AutoConfiguration
    static class ZFactoryAutoConfiguration {

        @Bean
        RedisConnectionFactory foundRedis() {
            return mock(RedisConnectionFactory.class);
        }
    }

    static class Printers {

        @DistributedSemaphore(permits = 2)
        public void print() {}
    }
}
