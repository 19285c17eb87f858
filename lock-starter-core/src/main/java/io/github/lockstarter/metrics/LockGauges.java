package io.github.lockstarter.metrics;

import io.github.lockstarter.registry.RegistryStatistics;
import io.github.lockstarter.store.MessageStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Registers the meters of a lock registry that belong to no lock: the meters of its watchdog and of its listeners. */
public final class LockGauges implements MeterBinder {

    /** The mode of a configuration that wants waiters to poll. Other instances poll because no messages arrive. */
    private static final String CHOSEN_POLLING = "polling_configured";

    private static final List<String> MODES = List.of("script", "client", "polling", CHOSEN_POLLING);

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
        FunctionCounter.builder("distributed.lock.messages.dropped", this.statistics, LockGauges::dropped)
                .description("Messages about grants that were not published")
                .register(registry);
        MODES.forEach(mode -> Gauge.builder(
                        "distributed.lock.messages.mode",
                        this.statistics,
                        statistics -> isMode(statistics.messages(), mode) ? 1 : 0)
                .description("1 for the mode in which waiters of other instances are notified of grants")
                .tag("mode", mode)
                .register(registry));
    }

    private static long dropped(RegistryStatistics statistics) {
        MessageStatus messages = statistics.messages();
        return messages != null ? messages.dropped() : 0;
    }

    private static boolean isMode(@Nullable MessageStatus messages, String mode) {
        if (messages == null) {
            return false;
        }
        boolean isChosen = messages.isConfigured() && messages.mode().equals("polling");
        return mode.equals(isChosen ? CHOSEN_POLLING : messages.mode());
    }
}
