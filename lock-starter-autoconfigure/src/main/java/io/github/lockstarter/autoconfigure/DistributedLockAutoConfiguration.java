package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.aop.DistributedLockBeanPostProcessor;
import io.github.lockstarter.aop.LockNameListener;
import io.github.lockstarter.registry.AcquireObserver;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.registry.MeterListener;
import io.github.lockstarter.store.LockStore;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of distributed locks: the {@link LockRegistry}, its store, and the post-processor for annotated
 * methods. Each bean backs off if the application defines one of its type.
 *
 * <p>It is ordered late, because it must find the connection factories and registries of other auto-configurations. Its
 * beans do not cause beans of Spring Boot to back off.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import({
    RedisStoreConfiguration.class,
    MemoryStoreConfiguration.class,
    MissingStoreConfiguration.class,
    TransactionConfiguration.class
})
public final class DistributedLockAutoConfiguration {

    /**
     * Creates the post-processor; static and with values from the environment only, because it is created before
     * ordinary beans. That of a parent context does not process the beans of this one.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    static DistributedLockBeanPostProcessor distributedLockBeanPostProcessor(
            Environment environment, ObjectProvider<LockRegistry> registry, ObjectProvider<LockNameListener> names) {
        Binder binder = Binder.get(environment);
        DistributedLockBeanPostProcessor postProcessor =
                new DistributedLockBeanPostProcessor(registry::getObject, DistributedLockProperties.settings(binder));
        binder.bind("distributed-lock.enabled", Boolean.class).ifBound(postProcessor::setEnabled);
        binder.bind("distributed-lock.mode", AdviceMode.class).ifBound(postProcessor::setMode);
        binder.bind("distributed-lock.aspect.order", Integer.class).ifBound(postProcessor::setLockOrder);
        postProcessor.setProxyTargetClass(
                binder.bind("spring.aop.proxy-target-class", Boolean.class).orElse(true));
        postProcessor.setNameListener(
                (name, mode) -> names.orderedStream().forEach(listener -> listener.named(name, mode)));
        return postProcessor;
    }

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    LeasingLockRegistry distributedLockRegistry(
            LockStore store,
            DistributedLockProperties properties,
            @Qualifier(DistributedLockMetricsAutoConfiguration.METERS) ObjectProvider<MeterListener> meters,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<AcquireObserver> observer,
            Environment environment) {
        MeterListener metersOrNone = meters.getIfAvailable();
        List<LockListener> others = listeners
                .orderedStream()
                .filter(listener -> listener != metersOrNone)
                .toList();
        String application = environment.getProperty("spring.application.name", "");
        LockSettings settings = properties.settings();
        return new LeasingLockRegistry(
                store,
                application.isBlank() ? settings : settings.withApplication(application),
                metersOrNone,
                others,
                observer.getIfAvailable());
    }

    /** Creates the post-processor; static, because it is one of bean definitions. */
    @Bean
    static ReplacedRegistry distributedLockReplacedRegistry() {
        return new ReplacedRegistry();
    }

    @Bean
    @ConditionalOnMissingBean(name = "distributedLockEventPublisher")
    LockEventPublisher distributedLockEventPublisher(ApplicationEventPublisher publisher) {
        return new LockEventPublisher(publisher);
    }

    @Bean
    UnitlessTimes distributedLockUnitlessTimes(Environment environment, DistributedLockProperties properties) {
        return new UnitlessTimes(environment, properties.locks().keySet());
    }

    @Bean
    AnnotationWarnings distributedLockAnnotationWarnings(
            Environment environment, ObjectProvider<DistributedLockBeanPostProcessor> postProcessors) {
        return new AnnotationWarnings(environment, postProcessors);
    }

    @Bean
    UnknownProperties distributedLockUnknownProperties(Environment environment) {
        return new UnknownProperties(environment);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "distributed-lock.warm-up")
    HandOverWarmUp distributedLockWarmUp(ApplicationContext context, ObjectProvider<LeasingLockRegistry> registry) {
        return new HandOverWarmUp(context, registry);
    }

    /** With AspectJ, the methods of all contexts are woven. */
    @Bean
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    @ConditionalOnProperty(name = "distributed-lock.mode", havingValue = "proxy", matchIfMissing = true)
    OtherContexts distributedLockOtherContexts(ApplicationContext context) {
        return new OtherContexts(context);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
    AmbiguityCheck distributedLockAmbiguityCheck(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<LockRegistry> registry,
            ObjectProvider<LockFailureHandler> handler) {
        return new AmbiguityCheck(beanFactory, registry, handler);
    }
}
