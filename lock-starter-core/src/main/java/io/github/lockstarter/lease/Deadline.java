package io.github.lockstarter.lease;

import io.github.lockstarter.LockRequest;
import java.time.Duration;

/** The end of one wait, for the local queue and the store together. */
final class Deadline {

    private static final Deadline ONCE = new Deadline(0);

    private static final Deadline NEVER = new Deadline(0);

    private final long at;

    private Deadline(long at) {
        this.at = at;
    }

    /** The deadline of a wait that begins now; zero: try once, {@link LockRequest#FOREVER}: no limit. */
    static Deadline in(Duration wait, long now) {
        if (wait.isZero()) {
            return ONCE;
        }
        return LockRequest.FOREVER.equals(wait) ? NEVER : new Deadline(now + wait.toNanos());
    }

    /** Whether there is one attempt and no waiting. */
    boolean isOnce() {
        return this == ONCE;
    }

    boolean isNever() {
        return this == NEVER;
    }

    /** Nanoseconds left; zero or less when the wait is over. */
    long remaining(long now) {
        if (isNever()) {
            return Long.MAX_VALUE;
        }
        return isOnce() ? 0 : this.at - now;
    }
}
