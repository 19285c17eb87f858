package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.lease.AcquireObserver;
import io.github.lockstarter.metrics.AcquisitionObservations;
import io.github.lockstarter.metrics.LockAcquisitionConvention;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Auto-configuration of observations, and so of traces, of distributed locks. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.observation.enabled", matchIfMissing = true)
public final class DistributedLockObservationAutoConfiguration {

    private static final Log logger = LogFactory.getLog(DistributedLockObservationAutoConfiguration.class);

    /** Null, which is no bean, where nobody observes: a condition would be asked before later registries are there. */
    @Bean
    @ConditionalOnMissingBean(AcquireObserver.class)
    @Nullable
    AcquisitionObservations distributedLockObservations(
            ObjectProvider<ObservationRegistry> registries, ObjectProvider<LockAcquisitionConvention> conventions) {
        ObservationRegistry registry = OnlyCandidate.of(registries, ObservationRegistry.class, "observations", logger);
        return registry != null && registry != ObservationRegistry.NOOP
                ? new AcquisitionObservations(registry, conventions.getIfUnique())
                : null;
    }
}
