package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.metrics.AcquisitionObservations;
import io.github.lockstarter.metrics.AcquisitionsAreTimed;
import io.github.lockstarter.metrics.LockAcquisitionConvention;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.registry.AcquireObserver;
import io.github.lockstarter.text.LockLog;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Auto-configuration of observations, and thus traces, of distributed locks. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.observation.enabled", matchIfMissing = true)
public final class DistributedLockObservationAutoConfiguration {

    private static final LockLog logger = LockLog.of(DistributedLockObservationAutoConfiguration.class);

    /**
     * Creates the observer; null, which defines no bean, without a registry or a handler that needs observations. A
     * condition would be evaluated before later auto-configurations have defined theirs.
     */
    @Bean
    @ConditionalOnMissingBean(AcquireObserver.class)
    @Nullable
    AcquisitionObservations distributedLockObservations(
            ObjectProvider<ObservationRegistry> registries,
            ObjectProvider<LockAcquisitionConvention> conventions,
            DistributedLockProperties properties,
            ConfigurableListableBeanFactory beanFactory) {
        boolean configured = Boolean.TRUE.equals(properties.observation().enabled());
        if (!configured && !new ObservationHandlers(beanFactory).wantObservations()) {
            return null;
        }
        ObservationRegistry registry = OnlyCandidate.of(
                registries,
                ObservationRegistry.class,
                "observations",
                candidate -> configured || !candidate.isNoop(),
                logger);
        return registry != null && registry != ObservationRegistry.NOOP
                ? new AcquisitionObservations(registry, conventions.getIfUnique())
                : null;
    }

    /** A separate class, because Micrometer's meters may be missing from the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterObservationHandler.class)
    @ConditionalOnBooleanProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
    static class TimedOnceConfiguration {

        /** Null, which is no bean, without meters of locks: then the timer of the observation is the only one. */
        @Bean
        @Nullable
        static AcquisitionsAreTimed distributedLockAcquisitionsAreTimed(ObjectProvider<MicrometerLockListener> meters) {
            return meters.stream().findAny().isPresent() ? new AcquisitionsAreTimed() : null;
        }
    }
}
