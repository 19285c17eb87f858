package io.github.lockstarter.metrics;

import io.github.lockstarter.registry.RegistryStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;

/** Registers the meters of a lock registry that belong to no lock: the meters of its watchdog and of its listeners. */
public final class LockGauges implements MeterBinder {

    private final RegistryStatistics statistics;

    /** Creates gauges of these statistics. */
    public LockGauges(RegistryStatistics statistics) {
        this.statistics = statistics;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
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
        FunctionCounter.builder(
                        "distributed.lock.messages.rejected", this.statistics, RegistryStatistics::rejectedMessages)
                .description("Messages that were rejected because no store has sent them")
                .register(registry);
    }
}
