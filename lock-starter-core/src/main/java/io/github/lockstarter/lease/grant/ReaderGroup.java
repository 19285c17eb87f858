package io.github.lockstarter.lease.grant;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The readers of this JVM that share one grant of the store. The last one that leaves releases it. A group of one member is
 * a reader, or a holder of permits, that shares its grant with no other. Safe for use by several threads.
 */
final class ReaderGroup {

    private final AtomicBoolean gone = new AtomicBoolean();

    private final AtomicInteger members = new AtomicInteger(1);

    /** Time until which the grant of the store stays taken, because a member that has left requested that. */
    private final AtomicLong keptUntil = new AtomicLong(Grant.NOT_KEPT);

    private volatile boolean closed;

    private volatile boolean shared;

    /** Adds a member; returns false if the last one has left, or one has lost the lease. */
    boolean join() {
        int count = this.members.get();
        while (count > 0 && !this.closed) {
            // First, because a member that leaves at once reads it after the number of members.
            this.shared = true;
            if (this.members.compareAndSet(count, count + 1)) {
                return true;
            }
            count = this.members.get();
        }
        return false;
    }

    /** Removes a member; returns whether it was the last one. */
    boolean leave() {
        return this.members.decrementAndGet() == 0;
    }

    /** Returns whether it has had more than one member, or another one has tried to join. */
    boolean isShared() {
        return this.shared;
    }

    /** Notes that the store does not have the grant any more; returns true the first time. */
    boolean noteEnd() {
        return this.gone.compareAndSet(false, true);
    }

    /** Admits no more members. */
    void close() {
        this.closed = true;
    }

    void keepUntil(long until) {
        this.keptUntil.accumulateAndGet(
                until, (before, after) -> before == Grant.NOT_KEPT || after - before > 0 ? after : before);
    }

    long keptUntil() {
        return this.keptUntil.get();
    }
}
