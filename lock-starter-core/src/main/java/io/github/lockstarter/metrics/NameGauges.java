package io.github.lockstarter.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** The gauges of one value of the tag {@code lock}, for all modes together. Thread-safe. */
final class NameGauges {

    private final String lock;

    private final HoldsByTag holds;

    private final LongAdder waiting = new LongAdder();

    private final AtomicBoolean registered = new AtomicBoolean();

    NameGauges(String lock, HoldsByTag holds) {
        this.lock = lock;
        this.holds = holds;
    }

    /**
     * Registers the gauges, which keep a weak reference to this object. Once, although each mode of the name asks for it:
     * Micrometer logs a WARN if a gauge is registered again.
     */
    void register(MeterRegistry registry) {
        if (!this.registered.compareAndSet(false, true)) {
            return;
        }
        Gauge.builder("distributed.lock.active", this, gauges -> gauges.holds.of(gauges.lock).count)
                .description("Leases that are held")
                .tag(LockMeters.LOCK, this.lock)
                .register(registry);
        Gauge.builder("distributed.lock.waiting", this, gauges -> gauges.waiting.sum())
                .description("Acquisitions that wait for a lock")
                .tag(LockMeters.LOCK, this.lock)
                .register(registry);
        TimeGauge.builder(
                        "distributed.lock.hold.longest",
                        this,
                        TimeUnit.NANOSECONDS,
                        gauges -> gauges.holds.of(gauges.lock).longestNanos)
                .description("Time since the grant of the lease that has been held for the longest time")
                .tag(LockMeters.LOCK, this.lock)
                .register(registry);
    }

    void waitBegan() {
        this.waiting.increment();
    }

    void waitEnded() {
        this.waiting.decrement();
    }
}
