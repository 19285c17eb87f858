package io.github.lockstarter.metrics;

import io.github.lockstarter.lease.RegistryStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;

/** Registers gauges of the current state of a lock registry. */
public final class LockGauges implements MeterBinder {

    private final RegistryStatistics statistics;

    /** Creates gauges of these statistics. */
    public LockGauges(RegistryStatistics statistics) {
        this.statistics = statistics;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("distributed.lock.active", this.statistics, RegistryStatistics::active)
                .description("Leases that are held or being released")
                .register(registry);
        Gauge.builder("distributed.lock.waiting", this.statistics, RegistryStatistics::waiting)
                .description("Acquisitions that wait for a lock")
                .register(registry);
        TimeGauge.builder(
                        "distributed.lock.watchdog.lag",
                        this.statistics,
                        TimeUnit.NANOSECONDS,
                        statistics -> statistics.watchdogLag().toNanos())
                .description("Delay of the watchdog in checking the leases that it renews")
                .register(registry);
        FunctionCounter.builder("distributed.lock.events.dropped", this.statistics, RegistryStatistics::droppedEvents)
                .description("Events that were dropped because listeners were too slow")
                .register(registry);
    }
}
