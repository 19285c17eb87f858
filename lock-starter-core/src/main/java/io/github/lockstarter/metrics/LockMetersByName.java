package io.github.lockstarter.metrics;

import io.github.lockstarter.LockMode;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Holds the meters of each lock name, for each mode in which the lock is used. They are found without allocation. All meters of
 * a name and mode are registered at the first use, because an alert on the increase of a counter misses its first event if the
 * counter appears with that event. Names beyond a limit share their meters, to bound memory. Thread-safe.
 */
final class LockMetersByName {

    private final LockTags tags = new LockTags("meters");

    private final HoldsByTag holds = new HoldsByTag(this.tags, System::nanoTime);

    private final ConcurrentMap<String, NameGauges> gauges = new ConcurrentHashMap<>();

    private final MeterRegistry registry;

    private final RecordingFailures failures;

    private final Table writers;

    private final Table readers;

    private final Table permits;

    LockMetersByName(MeterRegistry registry, RecordingFailures failures) {
        this.registry = registry;
        this.failures = failures;
        this.writers = new Table(LockMode.WRITE);
        this.readers = new Table(LockMode.READ);
        this.permits = new Table(LockMode.PERMIT);
    }

    HoldsByTag holds() {
        return this.holds;
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
    private final class Table {

        private final LockMode mode;

        private final ConcurrentMap<String, LockMeters> byName = new ConcurrentHashMap<>();

        Table(LockMode mode) {
            this.mode = mode;
        }

        LockMeters of(String tag) {
            LockMeters known = this.byName.get(tag);
            if (known != null) {
                return known;
            }
            NameGauges ofName = LockMetersByName.this.gauges.computeIfAbsent(
                    tag, absent -> new NameGauges(absent, LockMetersByName.this.holds));
            LockMeters created = new LockMeters(LockMetersByName.this.registry, tag, this.mode, ofName);
            LockMeters other = this.byName.putIfAbsent(tag, created);
            if (other != null) {
                return other;
            }
            try {
                ofName.register(LockMetersByName.this.registry);
                created.registerAll();
            } catch (Throwable ex) {
                // Filters and registries are foreign code. The caller records its event nevertheless.
                LockMetersByName.this.failures.add(tag, ex);
            }
            return created;
        }
    }
}
