package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

import io.github.lockstarter.DistributedLockConnectionFactory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.redis.RedisLockStore;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** An application with several connection factories, one of which is marked for locks. */
class ConnectionFactoryForLocksTest {

    private final ApplicationContextRunner ours = TestContexts.ours()
            .withBean(Orders.class)
            .withPropertyValues("distributed-lock.redis.private-connection=false");

    @Test
    void shouldTakeTheMarkedOneAlthoughAnotherIsPrimary() {
        this.ours
                .withUserConfiguration(MarkedMethod.class, PrimaryFactory.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(RedisLockStore.class);
                    assertThat(usedBy(context.getBean(RedisLockStore.class)))
                            .isSameAs(context.getBean("lockRedis", MarkedFactory.class));
                    verifyNoInteractions(context.getBean("primaryRedis"));
                });
    }

    @Test
    void shouldTakeTheMarkedOneOfSeveral() {
        this.ours.withUserConfiguration(MarkedMethod.class, OtherFactory.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(usedBy(context.getBean(RedisLockStore.class))).isSameAs(context.getBean("lockRedis"));
        });
    }

    @Test
    void shouldTakeOneThatIsInjectedNowhereElse() {
        this.ours
                .withUserConfiguration(NoDefaultCandidate.class, OtherFactory.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(usedBy(context.getBean(RedisLockStore.class))).isSameAs(context.getBean("lockRedis"));
                    assertThat(context.getBeanProvider(RedisConnectionFactory.class)
                                    .getIfUnique())
                            .isSameAs(context.getBean("otherRedis"));
                });
    }

    @Test
    void shouldFindTheAnnotationOnAClass() {
        this.ours
                .withBean("reportRedis", MarkedClass.class, MarkedClass::new)
                .withUserConfiguration(OtherFactory.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(usedBy(context.getBean(RedisLockStore.class))).isSameAs(context.getBean("reportRedis"));
                });
    }

    @Test
    void shouldNameSeveralThatAreMarked() {
        this.ours
                .withUserConfiguration(MarkedMethod.class, PrimaryFactory.class)
                .withBean("reportRedis", MarkedClass.class, MarkedClass::new)
                .run(context -> assertThat(FailureAnalyses.of(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains("@DistributedLockConnectionFactory", "lockRedis", "reportRedis")
                                    .doesNotContain("primaryRedis");
                            assertThat(analysis.getAction()).isNotBlank();
                        }));
    }

    /** The factory that the store asks for a connection. */
    private static RedisConnectionFactory usedBy(RedisLockStore store) {
        try {
            store.call(new Command.Inspect("any", true));
            throw new AssertionError("a factory for tests has no connection");
        } catch (RuntimeException ex) {
            for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
                if (cause instanceof Asked asked) {
                    return asked.factory;
                }
            }
            throw ex;
        }
    }

    static class Orders {

        Orders(LockRegistry registry) {}
    }

    /** Says who was asked for a connection. */
    static class Asked extends RedisConnectionFailureException {

        private static final long serialVersionUID = 1L;

        final transient RedisConnectionFactory factory;

        Asked(RedisConnectionFactory factory) {
            super("asked");
            this.factory = factory;
        }
    }

    abstract static class FactoryWithoutConnections implements RedisConnectionFactory {

        @Override
        public org.springframework.data.redis.connection.RedisConnection getConnection() {
            throw new Asked(this);
        }

        @Override
        public org.springframework.data.redis.connection.RedisClusterConnection getClusterConnection() {
            throw new Asked(this);
        }

        @Override
        public org.springframework.data.redis.connection.RedisSentinelConnection getSentinelConnection() {
            throw new Asked(this);
        }

        @Override
        public boolean getConvertPipelineAndTxResults() {
            return true;
        }

        @Override
        public org.springframework.dao.DataAccessException translateExceptionIfPossible(RuntimeException ex) {
            return null;
        }
    }

    static class MarkedFactory extends FactoryWithoutConnections {}

    @DistributedLockConnectionFactory
    static class MarkedClass extends FactoryWithoutConnections {}

    @Configuration(proxyBeanMethods = false)
    static class MarkedMethod {

        @Bean
        @DistributedLockConnectionFactory
        RedisConnectionFactory lockRedis() {
            return new MarkedFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoDefaultCandidate {

        @Bean(defaultCandidate = false)
        @DistributedLockConnectionFactory
        RedisConnectionFactory lockRedis() {
            return new MarkedFactory();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryFactory {

        @Bean
        @Primary
        RedisConnectionFactory primaryRedis() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherFactory {

        @Bean
        RedisConnectionFactory otherRedis() {
            return mock(RedisConnectionFactory.class);
        }
    }
}
