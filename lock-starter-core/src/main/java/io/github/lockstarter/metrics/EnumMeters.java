package io.github.lockstarter.metrics;

import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * One meter per value of a tag. Each is registered when it is first needed; from then on it is found without any
 * allocation.
 *
 * @param <K> values of the tag
 * @param <M> type of the meters
 */
final class EnumMeters<K extends Enum<K>, M> {

    private final ConcurrentMap<K, M> meters = new ConcurrentHashMap<>(4);

    private final Function<String, M> register;

    /**
     * Creates a table without meters.
     *
     * @param register gets or registers the meter whose tag has that value
     */
    EnumMeters(Function<String, M> register) {
        this.register = register;
    }

    M of(K value) {
        M known = this.meters.get(value);
        return known != null ? known : registered(value);
    }

    /** Registers those that are not there yet. */
    void registerAll(K[] values) {
        for (K value : values) {
            M unused = of(value);
        }
    }

    private M registered(K value) {
        // Two threads may both ask; the registry gives them the same meter.
        M meter = this.register.apply(value.name().toLowerCase(Locale.ROOT));
        this.meters.put(value, meter);
        return meter;
    }
}
