package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.metrics.LockGauges;
import io.github.lockstarter.metrics.MicrometerLockListener;
import io.github.lockstarter.registry.RegistryStatistics;
import io.github.lockstarter.text.LockLog;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Auto-configuration of meters of distributed locks. */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.metrics.enabled", matchIfMissing = true)
public final class DistributedLockMetricsAutoConfiguration {

    static final String METERS = "distributedLockMeters";

    private static final LockLog logger = LockLog.of(DistributedLockMetricsAutoConfiguration.class);

    /**
     * Creates the listener that records meters; null, which defines no bean, without a meter registry. A condition
     * would be evaluated before later auto-configurations have defined their registries.
     */
    @Bean(METERS)
    @ConditionalOnMissingBean
    @Nullable
    MicrometerLockListener distributedLockMeters(ObjectProvider<MeterRegistry> registries) {
        MeterRegistry registry = OnlyCandidate.of(registries, MeterRegistry.class, "meters", any -> true, logger);
        return registry != null ? new MicrometerLockListener(registry) : null;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(RegistryStatistics.class)
    LockGauges distributedLockGauges(RegistryStatistics statistics, ObjectProvider<MicrometerLockListener> meters) {
        // The registry of locks needs the meters first.
        meters.ifAvailable(listener -> listener.setStatistics(statistics));
        return new LockGauges(statistics);
    }
}
