package io.github.lockstarter.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Holds the meters of each lock name. Names beyond a limit share their meters, to bound memory. Thread-safe. */
final class LockMetersByName {

    private final MeterRegistry registry;

    private final LockTags tags = new LockTags("meters");

    private final ConcurrentMap<String, LockMeters> byName = new ConcurrentHashMap<>();

    private final LockMeters other;

    LockMetersByName(MeterRegistry registry) {
        this.registry = registry;
        this.other = new LockMeters(registry, LockTags.OTHER);
    }

    /** Returns the meters of the static name. */
    LockMeters of(String name) {
        LockMeters known = this.byName.get(name);
        return known != null ? known : admitted(name);
    }

    private LockMeters admitted(String name) {
        return this.tags.of(name).equals(name)
                ? this.byName.computeIfAbsent(name, absent -> new LockMeters(this.registry, absent))
                : this.other;
    }
}
