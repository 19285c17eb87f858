package io.github.lockstarter.metrics;

import io.github.lockstarter.LockMode;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Holds the meters of each lock name, for each mode in which the lock is used. They are found without allocation. Names beyond
 * a limit share their meters, to bound memory. Thread-safe.
 */
final class LockMetersByName {

    private final LockTags tags = new LockTags("meters");

    private final Table writers;

    private final Table readers;

    private final Table permits;

    LockMetersByName(MeterRegistry registry) {
        this.writers = new Table(registry, LockMode.WRITE);
        this.readers = new Table(registry, LockMode.READ);
        this.permits = new Table(registry, LockMode.PERMIT);
    }

    /** Returns the meters of the static name in that mode. */
    LockMeters of(String name, LockMode mode) {
        Table table = tableOf(mode);
        LockMeters known = table.byName.get(name);
        return known != null ? known : table.of(this.tags.of(name));
    }

    private Table tableOf(LockMode mode) {
        return switch (mode) {
            case WRITE -> this.writers;
            case READ -> this.readers;
            case PERMIT -> this.permits;
        };
    }

    /** The meters of one mode. */
    private static final class Table {

        private final MeterRegistry registry;

        private final LockMode mode;

        private final ConcurrentMap<String, LockMeters> byName = new ConcurrentHashMap<>();

        Table(MeterRegistry registry, LockMode mode) {
            this.registry = registry;
            this.mode = mode;
        }

        LockMeters of(String tag) {
            return this.byName.computeIfAbsent(tag, absent -> new LockMeters(this.registry, absent, this.mode));
        }
    }
}
