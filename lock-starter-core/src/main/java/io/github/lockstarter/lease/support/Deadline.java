package io.github.lockstarter.lease.support;

import io.github.lockstarter.LockRequest;
import java.time.Duration;

/** The end of one wait, which covers the local queue and the store. Immutable. */
public final class Deadline {

    private static final Deadline ONCE = new Deadline(0);

    private static final Deadline NEVER = new Deadline(0);

    private final long at;

    private Deadline(long at) {
        this.at = at;
    }

    /** Creates the deadline of a wait that begins now; zero: one attempt, {@link LockRequest#FOREVER}: no limit. */
    public static Deadline in(Duration wait, long now) {
        if (wait.isZero()) {
            return ONCE;
        }
        return LockRequest.FOREVER.equals(wait) ? NEVER : new Deadline(now + wait.toNanos());
    }

    /** Returns whether there is one attempt and no waiting. */
    public boolean isOnce() {
        return this == ONCE;
    }

    public boolean isNever() {
        return this == NEVER;
    }

    /** Returns the nanoseconds left; zero or negative when the wait is over. */
    public long remaining(long now) {
        if (isNever()) {
            return Long.MAX_VALUE;
        }
        return isOnce() ? 0 : this.at - now;
    }
}
