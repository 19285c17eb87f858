package io.github.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists the locks that this instance holds and waits for, for monitoring. Results may be outdated on return, so do not
 * base decisions on them. Other instances are covered only by {@link #stored}. Times are in whole milliseconds.
 * Thread-safe.
 *
 * <p>The registry of the starter implements this interface; inject it by this type.
 */
public interface LockInventory {

    /** Returns the locks that this instance holds, in no order. No I/O; the duration grows with the number of locks. */
    List<Held> held();

    /** Returns the hold of the lock in this instance; empty if there is none. No I/O. */
    Optional<Held> held(String lockName);

    /** Returns the locks for which this instance waits, in no order. No I/O. */
    List<Awaited> awaited();

    /** Returns the waiters for the lock in this instance; empty if there are none. No I/O. */
    Optional<Awaited> awaited(String lockName);

    /**
     * Returns the lock as the store describes it, whichever instance owns it. Blocks for at most two command timeouts: one
     * for the lock, and one for the description of an instance that is not known yet.
     *
     * @return empty if the lock is free
     * @throws LockStoreException if the store does not answer
     */
    Optional<Stored> stored(String lockName);

    /**
     * Returns the health of this instance's locks. Never waits for the store, and so returns within milliseconds even
     * if the store does not answer: a call starts a health check in the background, at most once a second, and the
     * result contains the last reply.
     */
    LockHealth health();

    /**
     * A lock that this instance holds.
     *
     * @param name full name of the lock
     * @param fencingToken token of the grant
     * @param state {@code HELD} or {@code AT_RISK}
     * @param heldFor time since the grant
     * @param remaining time until the lease expires without another renewal, as {@link Lease#remaining()}
     * @param renewed whether the watchdog renews the lease; false for a fixed lease, and after {@code maxHold}
     * @param renewals number of successful renewals
     * @param owner name of the owning thread, or {@code #} and its number if it has no name; null: no thread owns the
     *     lease
     */
    record Held(
            String name,
            long fencingToken,
            Lease.State state,
            Duration heldFor,
            Duration remaining,
            boolean renewed,
            int renewals,
            @Nullable String owner) {}

    /**
     * A lock for which this instance waits.
     *
     * @param name full name of the lock
     * @param waiters number of waiters
     * @param longest how long the first one has been waiting
     */
    record Awaited(String name, int waiters, Duration longest) {}

    /**
     * A lock that is held, as the store describes it.
     *
     * @param fencingToken token of the last grant by the store; the owner's token is larger if the lock was handed over
     *     in memory since then. Null: unknown
     * @param remaining time until the lease expires unless it is renewed; null: unknown
     * @param holder the instance that owns the lock; null: unknown
     * @param since time of the last grant by the store, by the clock of the Redis server; later grants that were handed
     *     over in memory do not change it. Null: unknown
     * @param waiting number of instances that wait in the line of the store; null: unknown
     */
    record Stored(
            @Nullable Long fencingToken,
            @Nullable Duration remaining,
            @Nullable LockHolder holder,
            @Nullable Instant since,
            @Nullable Integer waiting) {}
}
