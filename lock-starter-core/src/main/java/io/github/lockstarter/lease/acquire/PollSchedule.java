package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.store.AcquireReply;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Determines when a waiter asks the store again if nothing wakes it, in nanoseconds. Used by one thread at a time. */
final class PollSchedule {

    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long WAKE_JITTER = TimeUnit.MILLISECONDS.toNanos(20);

    private final long poll;

    private int failures;

    private long pause;

    PollSchedule(long pollNanos) {
        this.poll = pollNanos;
    }

    long pause() {
        return this.pause;
    }

    /**
     * Another acquisition owns the lock: asks again when its lease ends or after the interval that the store has set, whichever
     * is earlier. Where that is longer than the poll interval, others are in front; thousands of waiters must not ask at the
     * same moment.
     */
    void taken(AcquireReply.Taken reply) {
        this.failures = 0;
        long interval = reply.pollMillis() > 0 ? TimeUnit.MILLISECONDS.toNanos(reply.pollMillis()) : this.poll;
        long remaining = TimeUnit.MILLISECONDS.toNanos(Math.min(reply.remainingMillis(), TimeUnit.DAYS.toMillis(1)));
        long spread = interval > this.poll ? this.poll : WAKE_JITTER;
        this.pause =
                remaining < interval ? remaining + ThreadLocalRandom.current().nextLong(spread) : jittered(interval);
    }

    /** The ticket stands in line: asks again after that time. */
    void rest(long nanos) {
        this.pause = jittered(nanos);
    }

    /** There was no reply: asks again after a pause that grows; returns whether there was a reply before. */
    boolean failed() {
        boolean first = this.failures++ == 0;
        this.pause = jittered(Math.min(FIRST_RETRY << Math.min(this.failures - 1, 10), this.poll));
        return first;
    }

    private static long jittered(long nanos) {
        return nanos - ThreadLocalRandom.current().nextLong(nanos / 5 + 1);
    }
}
