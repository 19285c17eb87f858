package io.github.lockstarter.lease;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** When to renew, in nanoseconds. */
final class RenewalPace {

    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);

    private final long interval;

    private final long attempt;

    private final long longestRetry;

    RenewalPace(LockSettings settings) {
        this.interval = settings.renewInterval().toNanos();
        this.attempt = Math.min(
                settings.commandTimeout().toNanos(),
                settings.watchdogTimeout().dividedBy(6).toNanos());
        this.longestRetry = settings.watchdogTimeout().dividedBy(12).toNanos();
    }

    /** From one renewal to the next; up to a twentieth more each time, so that instances drift apart. */
    long interval() {
        return jittered(this.interval + this.interval / 40);
    }

    /**
     * What is due within this time goes along with what is due now, and from then on at the same time: full batches, one
     * after the other. Redis takes half as long again for a batch that comes alone and wakes it.
     */
    long moment() {
        return this.interval / 8;
    }

    /** After this time without an answer a renewal is late. */
    long attempt() {
        return this.attempt;
    }

    /** From a failure to the next attempt: doubles up to a twelfth of the lease, so that a short outage costs nothing. */
    long retry(int failures) {
        long pause = FIRST_RETRY << Math.min(failures - 1, 10);
        return jittered(Math.min(pause, this.longestRetry));
    }

    private static long jittered(long nanos) {
        return nanos + nanos / 40 - ThreadLocalRandom.current().nextLong(nanos / 20 + 1);
    }
}
