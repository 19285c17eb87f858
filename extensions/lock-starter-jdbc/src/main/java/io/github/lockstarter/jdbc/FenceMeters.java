package io.github.lockstarter.jdbc;

import io.github.lockstarter.metrics.MicrometerLockListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The timer {@code distributed.lock.fence}, by lock and outcome. Thread-safe. */
final class FenceMeters {

    private final MicrometerLockListener meters;

    /** The timers by the value of the tag {@code lock}. */
    private final ConcurrentMap<String, Map<FenceOutcome, Timer>> timers = new ConcurrentHashMap<>();

    FenceMeters(MicrometerLockListener meters) {
        this.meters = meters;
    }

    /**
     * Records the answer to a token.
     *
     * @param lock static name of the lock
     */
    void record(String lock, FenceOutcome outcome, Duration took) {
        this.meters.record(lock, (registry, tag) -> {
            Map<FenceOutcome, Timer> ofLock = this.timers.computeIfAbsent(tag, absent -> register(registry, tag));
            Objects.requireNonNull(ofLock.get(outcome)).record(took);
        });
    }

    /**
     * Registers all outcomes: an alert on the increase of a counter misses its first event if the counter appears with
     * it.
     */
    private static Map<FenceOutcome, Timer> register(MeterRegistry registry, String tag) {
        Map<FenceOutcome, Timer> created = new EnumMap<>(FenceOutcome.class);
        for (FenceOutcome outcome : FenceOutcome.values()) {
            created.put(
                    outcome,
                    Timer.builder("distributed.lock.fence")
                            .description("Time in which the database has answered to the fencing token of a lock")
                            .tag("lock", tag)
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        return created;
    }
}
