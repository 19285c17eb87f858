package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.transaction.ConfigurableTransactionManager;

@ExtendWith(OutputCaptureExtension.class)
class DistributedLockAutoConfigurationTest {

    private final ApplicationContextRunner inMemory = TestContexts.inMemory();

    @Test
    void shouldKeepLocksInMemory() {
        this.inMemory.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).getBean("distributedLockStore").isInstanceOf(InMemoryLockStore.class);
            assertThat(context).getBean("distributedLockRegistry").isInstanceOf(LeasingLockRegistry.class);
            assertThat(context.getBean(LeasingLockRegistry.class).isRunning()).isTrue();
        });
    }

    /** The rules of the start must know the interval as well. */
    @Test
    void shouldStartWithACommandTimeoutThatNeedsAShorterRenewInterval() {
        this.inMemory
                .withPropertyValues(
                        "distributed-lock.watchdog.renew-interval=5s", "distributed-lock.redis.command-timeout=10s")
                .run(context -> assertThat(context)
                        .as("application with a renew interval of 5 s")
                        .hasNotFailed());
    }

    @Test
    void shouldKeepLocksInRedisByDefault() {
        TestContexts.application()
                .withPropertyValues("spring.data.redis.port=1")
                .run(context ->
                        assertThat(context).getBean("distributedLockStore").isInstanceOf(RedisLockStore.class));
    }

    @Test
    void shouldNeedNoRedisClassForLocksInMemory() {
        this.inMemory
                .withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(InMemoryLockStore.class));
    }

    @Test
    void shouldStartInALazyApplication() {
        this.inMemory
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> assertThat(
                                context.getBean(LeasingLockRegistry.class).isRunning())
                        .isTrue());
    }

    @Test
    void shouldUseNamesOfItsOwn() {
        TestContexts.application()
                .withPropertyValues("distributed-lock.store=memory")
                .run(context -> assertThat(ourBeans(context))
                        .containsExactlyInAnyOrder(
                                "distributedLockStore",
                                "distributedLockRegistry",
                                "distributedLockBeanPostProcessor",
                                "distributedLockAmbiguityCheck",
                                "distributedLockCommitGuard",
                                "distributedLockEventPublisher",
                                "distributedLockHealthIndicator",
                                "distributedLockMeters",
                                "distributedLockGauges",
                                "distributedLockObservations",
                                "distributedLockAcquisitionsAreTimed",
                                "distributedLockUnitlessTimes",
                                "distributedLockAnnotationWarnings",
                                "distributedLockUnknownProperties",
                                "distributedLockReplacedRegistry",
                                "distributedLockOtherContexts"));
    }

    @Test
    void shouldNotMindABeanCalledLockRegistry() {
        this.inMemory
                .withBean("lockRegistry", String.class, () -> "another bean")
                .run(context -> {
                    assertThat(context).hasSingleBean(LockRegistry.class);
                    assertThat(context).getBean("lockRegistry").isEqualTo("another bean");
                });
    }

    @Test
    void shouldUseTheLockStoreOfTheApplication() {
        LockStore own = new InMemoryLockStore();
        TestContexts.ours()
                .withBean("ownStore", LockStore.class, () -> own)
                .withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
                .run(context -> {
                    assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(LeasingLockRegistry.class);
                    assertThat(context).doesNotHaveBean("distributedLockStore");
                });
    }

    @Test
    void shouldUseTheLockRegistryOfTheApplication() {
        LockRegistry own = mock(LockRegistry.class);
        TestContexts.application()
                .withPropertyValues("distributed-lock.store=memory")
                .withBean("ownRegistry", LockRegistry.class, () -> own)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(LockRegistry.class)).isSameAs(own);
                    assertThat(context).doesNotHaveBean("distributedLockRegistry");
                    assertThat(context).doesNotHaveBean("distributedLockGauges");
                });
    }

    @Test
    void shouldUseThePostProcessorOfTheApplication() {
        this.inMemory
                .withBean(
                        "ownPostProcessor",
                        DistributedLockBeanPostProcessor.class,
                        () -> new DistributedLockBeanPostProcessor(
                                () -> {
                                    throw new AssertionError("no locked method is called");
                                },
                                LockSettings.of(Duration.ofSeconds(30))))
                .run(context -> assertThat(context)
                        .hasSingleBean(DistributedLockBeanPostProcessor.class)
                        .doesNotHaveBean("distributedLockBeanPostProcessor"));
    }

    @Test
    void shouldGuardTheTransactionManagersOfAChildContext() {
        ConfigurableTransactionManager manager = mock(ConfigurableTransactionManager.class);

        this.inMemory.run(parent -> this.inMemory
                .withParent(parent)
                .withBean(ConfigurableTransactionManager.class, () -> manager)
                .run(child -> assertThat(child).hasNotFailed()));

        verify(manager, atLeastOnce()).addListener(any());
    }

    @Test
    void shouldCreateNothingBeforeItsTime(CapturedOutput output) {
        TestContexts.application()
                .withPropertyValues("distributed-lock.store=memory")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("not eligible for getting processed by all BeanPostProcessors");
    }

    private static String[] ourBeans(ApplicationContext context) {
        return Arrays.stream(context.getBeanDefinitionNames())
                .filter(name -> {
                    Class<?> type = context.getType(name, false);
                    return type != null && type.getName().startsWith("io.github.lockstarter.");
                })
                .filter(name -> !name.contains("io.github.lockstarter."))
                .filter(name -> !name.equals("testContexts.Application"))
                .toArray(String[]::new);
    }
}
