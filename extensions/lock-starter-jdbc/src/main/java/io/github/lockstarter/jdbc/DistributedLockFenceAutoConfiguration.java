package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.DistributedLockProperties;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import io.micrometer.core.instrument.MeterRegistry;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/** Auto-configuration of transactions that fence themselves. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBooleanProperty("distributed-lock.jdbc.fence.enabled")
@EnableConfigurationProperties(FenceProperties.class)
@ImportRuntimeHints(FenceHints.class)
public final class DistributedLockFenceAutoConfiguration {

    /** Creates the fence; static, because the registrar needs it. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TransactionFence distributedLockTransactionFence() {
        return new TransactionFence();
    }

    /** Creates the registrar; static, because it is a post-processor. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FenceRegistrar distributedLockFenceRegistrar(TransactionFence fence) {
        return new FenceRegistrar(fence);
    }

    /** Creates the tables, after the migrations of the application; also where beans are lazy. */
    @Bean
    @Lazy(false)
    @DependsOnDatabaseInitialization
    FenceTables distributedLockFenceTables(
            ApplicationContext context,
            FenceProperties properties,
            DistributedLockProperties locks,
            TransactionFence fence,
            FenceReports reports) {
        LockRegistry registry = context.getBean(LockRegistry.class);
        if (!(registry instanceof LeasingLockRegistry)) {
            throw new IllegalStateException(Printable.of(FenceProperties.PREFIX
                    + "enabled is true, but the LockRegistry is a "
                    + registry.getClass().getName() + ", whose grants cannot be fenced. Remove this bean, or set the"
                    + " property to false."));
        }
        TransactionFence.Settings settings = new TransactionFence.Settings(
                locks.keyPrefix(), LoggedNames.withKeys(locks.logKeys()), properties.atGrant());
        return new FenceTables(
                context.getBeansOfType(DataSource.class), properties, tables -> fence.start(tables, settings, reports));
    }

    @Bean
    FenceReports distributedLockFenceReports(ApplicationContext context, ObjectProvider<FenceMeters> meters) {
        return new FenceReports(context, meters.getIfAvailable());
    }

    /** Loaded only if Micrometer is present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {

        /** Creates the meters; null, which defines no bean, if locks have none. */
        @Bean
        @Nullable
        FenceMeters distributedLockFenceMeters(ObjectProvider<MicrometerLockListener> listeners) {
            MicrometerLockListener listener = listeners.getIfAvailable();
            return listener != null ? new FenceMeters(listener) : null;
        }
    }

    @Bean
    @Lazy(false)
    FenceCleanUp distributedLockFenceCleanUp(
            LockRegistry registry, FenceTables tables, DistributedLockProperties locks, FenceProperties properties) {
        return new FenceCleanUp(registry, tables, locks.keyPrefix(), properties.retention());
    }
}
