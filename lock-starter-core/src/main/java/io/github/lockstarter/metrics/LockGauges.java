package io.github.lockstarter.metrics;

import io.github.lockstarter.lease.RegistryStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;

/** What a lock registry is doing at the moment somebody looks. */
public final class LockGauges implements MeterBinder {

    private final RegistryStatistics statistics;

    /** Creates gauges that show these statistics. */
    public LockGauges(RegistryStatistics statistics) {
        this.statistics = statistics;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("distributed.lock.active", this.statistics, RegistryStatistics::active)
                .description("Leases that are held, or on their way out")
                .register(registry);
        Gauge.builder("distributed.lock.waiting", this.statistics, RegistryStatistics::waiting)
                .description("Acquisitions that wait for their lock")
                .register(registry);
        TimeGauge.builder(
                        "distributed.lock.watchdog.lag",
                        this.statistics,
                        TimeUnit.NANOSECONDS,
                        statistics -> statistics.watchdogLag().toNanos())
                .description("How late the watchdog is with looking at the leases it renews")
                .register(registry);
        FunctionCounter.builder("distributed.lock.events.dropped", this.statistics, RegistryStatistics::droppedEvents)
                .description("Events that listeners never heard of, because they were too slow")
                .register(registry);
    }
}
