package io.github.lockstarter.metrics;

import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Holds one meter for each value of a tag. A meter is registered when it is first used, and found without allocation
 * from then on. Thread-safe.
 *
 * @param <K> type of the values
 * @param <M> type of the meters
 */
final class EnumMeters<K extends Enum<K>, M> {

    private final ConcurrentMap<K, M> meters = new ConcurrentHashMap<>(4);

    private final Function<String, M> register;

    /**
     * Creates a table without meters.
     *
     * @param register registers the meter for a value of the tag, or returns the existing one
     */
    EnumMeters(Function<String, M> register) {
        this.register = register;
    }

    /** Returns the meter for the value. */
    M of(K value) {
        M known = this.meters.get(value);
        return known != null ? known : registered(value);
    }

    /** Registers the meters for the values. */
    void registerAll(K[] values) {
        for (K value : values) {
            M unused = of(value);
        }
    }

    private M registered(K value) {
        // Two threads may register at the same time; the registry returns the same meter to both.
        M meter = this.register.apply(value.name().toLowerCase(Locale.ROOT));
        this.meters.put(value, meter);
        return meter;
    }
}
