package io.github.lockstarter.lease.queue;

import io.github.lockstarter.lease.support.LeaseClock;
import java.util.concurrent.TimeUnit;

/**
 * The short lease with which a release grants the lock to the first in the store's line. The message about such a grant is
 * believed only while enough of that lease is left for the first renewal. Immutable.
 */
public final class ClaimLease {

    private final LeaseClock clock;

    private final long millis;

    private final long usableNanos;

    /**
     * Creates the lease.
     *
     * @param millis 0: the store does not notify of such grants
     * @param usableNanos the part of it, without the margin, on which an owner may rely
     */
    public ClaimLease(LeaseClock clock, long millis, long usableNanos) {
        this.clock = clock;
        this.millis = millis;
        this.usableNanos = usableNanos;
    }

    public long millis() {
        return this.millis;
    }

    /** Returns the nanoseconds that must be left of it: a quarter, in which a renewal can be repeated. */
    public long leastNanos() {
        return TimeUnit.MILLISECONDS.toNanos(this.millis) / 4;
    }

    /**
     * Returns whether enough is left of a lease that counts from that moment, by both clocks.
     *
     * @param longestNanos time on which the owner relies at most, because it requested a shorter lease
     */
    public boolean isEnoughLeft(long sentAt, long sentAtWall, long longestNanos) {
        long usable = Math.min(this.usableNanos, longestNanos);
        return this.millis > 0 && usable - age(sentAt, sentAtWall) >= leastNanos();
    }

    /** Returns whether anything is left of a lease that counts from the base, by both clocks. */
    boolean isOpen(LineBase base) {
        return this.usableNanos - age(base.sentAt(), base.sentAtWall()) > 0;
    }

    private long age(long sentAt, long sentAtWall) {
        long wall = TimeUnit.MILLISECONDS.toNanos(this.clock.currentTimeMillis() - sentAtWall);
        return Math.max(this.clock.nanoTime() - sentAt, wall);
    }
}
