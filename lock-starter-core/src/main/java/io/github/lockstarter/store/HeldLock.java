package io.github.lockstarter.store;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A lock with its owner and its waiting line. It is changed only within the atomic operations of the store's map; the
 * end of the lease is also read outside of them. Times are nanoseconds of {@link System#nanoTime()} unless named
 * otherwise.
 */
final class HeldLock {

    /** Milliseconds in which a grant from the line must be claimed, before it expires. */
    static final long CLAIM_MILLIS = TimeUnit.SECONDS.toMillis(2);

    /**
     * Prefix of the owner while the lock is kept for a minimum hold, as in {@code keep.lua}; no acquisition id has it.
     */
    private static final String KEPT_PREFIX = "~k";

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

    /** Returns whether the lease has not expired. */
    boolean isHeld(long now) {
        return this.endsAt != Long.MIN_VALUE && this.endsAt - now > 0;
    }

    /** Returns the milliseconds until the lease expires, rounded up. */
    long remainingMillis(long now) {
        return TimeUnit.NANOSECONDS.toMillis(this.endsAt - now) + 1;
    }

    /** Sets the lease unless more of it is left. */
    void extend(long now, long leaseMillis) {
        long end = now + TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        if (this.endsAt == Long.MIN_VALUE || end - this.endsAt > 0) {
            this.endsAt = end;
        }
    }

    /** Returns whether the acquisition has released the lock, but it is kept for a minimum hold. */
    boolean isKeptBy(String acquisitionId) {
        return this.owner.equals(KEPT_PREFIX + acquisitionId);
    }

    /** Returns the lock with an owner that no command of the acquisition matches; it expires after the time. */
    HeldLock kept(long now, long millis) {
        HeldLock kept = new HeldLock(KEPT_PREFIX + this.owner, this.token, this.line);
        kept.endsAt = now + TimeUnit.MILLISECONDS.toNanos(millis);
        return kept;
    }

    /** Sets the lease unless less of it is left. */
    void shorten(long now, long millis) {
        long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
        if (end - this.endsAt < 0) {
            this.endsAt = end;
        }
    }

    /** Appends the acquisition to the line unless it is in it. */
    void join(String acquisitionId) {
        if (!this.line.contains(acquisitionId)) {
            this.line.add(acquisitionId);
        }
    }

    /** Describes the lock; an acquisition that has released it still counts as its owner during the minimum hold. */
    StoredLock describe(long now) {
        String shown = this.owner.startsWith(KEPT_PREFIX) ? this.owner.substring(KEPT_PREFIX.length()) : this.owner;
        return new StoredLock(shown, this.token, remainingMillis(now), this.line.size());
    }

    /** Returns whether the acquisition is in the line. */
    boolean isInLine(String acquisitionId) {
        return this.line.contains(acquisitionId);
    }

    /** Removes the acquisition from the line, and returns whether it was in it. */
    boolean leave(String acquisitionId) {
        return this.line.remove(acquisitionId);
    }

    /** Returns the lock as granted to the first in the line, or else to the successor; null if there is neither. */
    @Nullable
    HeldLock next(long now, long token, @Nullable Successor successor) {
        String first = this.line.poll();
        if (successor != null && first != null) {
            this.line.add(successor.acquisitionId());
        }
        HeldLock next = null;
        if (first != null) {
            next = new HeldLock(first, token, this.line);
            next.extend(now, CLAIM_MILLIS);
        } else if (successor != null) {
            next = new HeldLock(successor.acquisitionId(), token, this.line);
            next.extend(now, successor.leaseMillis());
        }
        return next;
    }
}
