package io.github.lockstarter.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * The leases that are held, by the value of the tag {@code lock}. One pass over all leases serves the gauges of all
 * names: its result is used for a hundred times as long as the pass took, but for at most a second: gauges of few
 * leases follow at once, and those of many cost no more than one pass a second, however many are read. Thread-safe.
 */
final class HoldsByTag {

    private static final int REUSE_FACTOR = 100;

    private static final long MAX_REUSE = TimeUnit.SECONDS.toNanos(1);

    /** The leases of one value. Changed by the pass only. */
    static final class Holds {

        private static final Holds NONE = new Holds();

        int count;

        long longestNanos;

        private void add(long heldNanos) {
            this.count++;
            this.longestNanos = Math.max(this.longestNanos, heldNanos);
        }
    }

    private final LockTags tags;

    private final LongSupplier nanoTime;

    private final ReentrantLock lock = new ReentrantLock();

    private volatile Consumer<ObjLongConsumer<String>> leases = visitor -> {};

    /** Guarded by the lock, like the field below. */
    private Map<String, Holds> result = Map.of();

    private long validUntil;

    HoldsByTag(LockTags tags, LongSupplier nanoTime) {
        this.tags = tags;
        this.nanoTime = nanoTime;
        this.validUntil = nanoTime.getAsLong();
    }

    /** Sets what visits all leases, each with its static name and the nanoseconds since its grant. */
    void setLeases(Consumer<ObjLongConsumer<String>> leases) {
        this.leases = leases;
    }

    /** Returns the leases of that value. */
    Holds of(String tag) {
        this.lock.lock();
        try {
            long start = this.nanoTime.getAsLong();
            if (start - this.validUntil >= 0) {
                Map<String, Holds> all = new HashMap<>();
                this.leases.accept((name, heldNanos) -> all.computeIfAbsent(this.tags.of(name), absent -> new Holds())
                        .add(heldNanos));
                this.result = all;
                long end = this.nanoTime.getAsLong();
                this.validUntil = end + Math.min(MAX_REUSE, REUSE_FACTOR * (end - start));
            }
            return this.result.getOrDefault(tag, Holds.NONE);
        } finally {
            this.lock.unlock();
        }
    }
}
