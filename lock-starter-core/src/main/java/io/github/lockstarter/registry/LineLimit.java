package io.github.lockstarter.registry;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits repeated log lines, because a fault of the store affects all locks at the same time. Allows one line a minute
 * for each kind of line and static name of a lock. Thread-safe.
 */
final class LineLimit {

    private static final int MAX_LINES = 200;

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Kinds of lines and names, with the time at which a line was logged. */
    private final Map<String, Long> logged = new ConcurrentHashMap<>();

    private final LongSupplier nanoTime;

    LineLimit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns whether a line of this kind may be logged now, and notes it if so. */
    boolean allows(String kind, String name) {
        long now = this.nanoTime.getAsLong();
        String line = kind + ' ' + name;
        Long before = this.logged.get(line);
        if (before != null && now - before < QUIET_NANOS) {
            return false;
        }
        this.logged.values().removeIf(at -> now - at >= QUIET_NANOS);
        return this.logged.size() < MAX_LINES && this.logged.putIfAbsent(line, now) == null;
    }
}
