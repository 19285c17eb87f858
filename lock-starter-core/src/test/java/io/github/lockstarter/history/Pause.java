package io.github.lockstarter.history;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Time that passes. */
final class Pause {

    private static final Duration SHORT = Duration.ofMillis(5);

    private Pause() {}

    static void of(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Looks until it is true. */
    static void until(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Not within " + limit);
            }
            of(SHORT);
        }
    }
}
