package io.github.lockstarter.store;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lock that somebody owns, and the line of those who wait for it. Changed only inside of one atomic step per lock. */
final class HeldLock {

    /** In memory nobody is far away; who does not claim a grant in that time has gone. */
    private static final long CLAIM_MILLIS = TimeUnit.SECONDS.toMillis(2);

    /** Stands before the id of the acquisition whose lock is kept, as in {@code keep.lua}; no acquisition has such an id. */
    private static final String KEPT = "~k";

    private final String owner;

    private final long token;

    private final ArrayDeque<String> line;

    private volatile long endsAt = Long.MIN_VALUE;

    HeldLock(String owner, long token) {
        this(owner, token, new ArrayDeque<>(1));
    }

    private HeldLock(String owner, long token, ArrayDeque<String> line) {
        this.owner = owner;
        this.token = token;
        this.line = line;
    }

    String owner() {
        return this.owner;
    }

    long token() {
        return this.token;
    }

    boolean isOwnedBy(String acquisitionId) {
        return this.owner.equals(acquisitionId);
    }

    boolean isHeld(long now) {
        return this.endsAt != Long.MIN_VALUE && this.endsAt - now > 0;
    }

    long remainingMillis(long now) {
        return TimeUnit.NANOSECONDS.toMillis(this.endsAt - now) + 1;
    }

    /** Sets the lease, unless more is left. */
    void lengthen(long now, long leaseMillis) {
        long end = now + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        if (this.endsAt == Long.MIN_VALUE || end - this.endsAt > 0) {
            this.endsAt = end;
        }
    }

    /** Whether the acquisition has released the lock, which is kept for a minimum hold. */
    boolean isKeptBy(String acquisitionId) {
        return this.owner.equals(KEPT + acquisitionId);
    }

    /** The same lock under an owner that no command of the acquisition matches; it ends in that time. */
    HeldLock kept(long now, long millis) {
        HeldLock kept = new HeldLock(KEPT + this.owner, this.token, this.line);
        kept.endsAt = now + TimeUnit.MILLISECONDS.toNanos(millis);
        return kept;
    }

    /** Ends in that time, unless less is left. */
    void shorten(long now, long millis) {
        long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
        if (end - this.endsAt < 0) {
            this.endsAt = end;
        }
    }

    void join(String acquisitionId) {
        if (!this.line.contains(acquisitionId)) {
            this.line.add(acquisitionId);
        }
    }

    boolean leave(String acquisitionId) {
        return this.line.remove(acquisitionId);
    }

    /** The lock after its release: the first in line has it, or the successor; null if nobody wants it. */
    @Nullable
    HeldLock next(long now, long token, @Nullable Successor successor) {
        String first = this.line.poll();
        if (successor != null && first != null) {
            this.line.add(successor.acquisitionId());
        }
        HeldLock next = null;
        if (first != null) {
            next = new HeldLock(first, token, this.line);
            next.lengthen(now, CLAIM_MILLIS);
        } else if (successor != null) {
            next = new HeldLock(successor.acquisitionId(), token, this.line);
            next.lengthen(now, successor.leaseMillis());
        }
        return next;
    }
}
