package io.github.lockstarter.registry;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;

/**
 * What a registry still has after the end of all grants, waits and notifications, beside the locks that are idle for a
 * moment.
 */
public final class Leftovers {

    private static final List<String> FIELDS = List.of(
            "run.events.hooks",
            "run.engine.live",
            "run.engine.window.releases",
            "run.engine.window.polls",
            "run.engine.window.acquires",
            "run.threads.listeners.tasks",
            "run.threads.log.tasks",
            "run.threads.grants.open",
            "run.threads.others.open");

    private Leftovers() {}

    /** Returns the fields that are neither empty nor zero, with their sizes. */
    public static Map<String, Integer> of(LeasingLockRegistry registry) {
        DirectFieldAccessor fields = new DirectFieldAccessor(registry);
        Map<String, Integer> left = new TreeMap<>();
        if (fields.getPropertyValue("run") != null) {
            FIELDS.forEach(field -> left.put(field, size(fields.getPropertyValue(field))));
            left.values().removeIf(size -> size == 0);
        }
        return left;
    }

    private static int size(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.size();
        }
        if (value instanceof Collection<?> all) {
            return all.size();
        }
        return ((Number) Objects.requireNonNull(value)).intValue();
    }
}
