package io.github.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists the locks that this instance holds and waits for, for monitoring. Not for decisions: the answer may be outdated when
 * it arrives. Other instances are not covered, except by {@link #stored}. Times are in whole milliseconds. Thread-safe.
 *
 * <p>The registry that the starter creates implements it; inject it by this type.
 */
public interface LockInventory {

    /** Returns the locks that this instance holds, in no order. No I/O; takes some time with very many of them. */
    List<Held> held();

    /** Returns the hold of that lock in this instance; empty: none. No I/O. */
    Optional<Held> held(String lockName);

    /** Returns the locks for which this instance waits, in no order. No I/O. */
    List<Awaited> awaited();

    /** Returns the waiters of that lock in this instance; empty: none. No I/O. */
    Optional<Awaited> awaited(String lockName);

    /**
     * Returns the owner of the lock as the store knows it, in whatever instance. Blocks for at most two command timeouts.
     *
     * @return empty: the lock is free
     * @throws LockStoreException if the store does not answer
     */
    Optional<Stored> stored(String lockName);

    /**
     * Returns the health of this instance's locks. Never waits for the store on the calling thread, and so returns within
     * milliseconds even if the store is silent: the store is asked in the background, at most once a second and only when
     * this method is called, and its last answer counts.
     */
    LockHealth health();

    /**
     * A lock that this instance holds.
     *
     * @param name full name of the lock
     * @param fencingToken token of the grant
     * @param state {@code HELD} or {@code AT_RISK}
     * @param heldFor time since the grant
     * @param remaining time that the lease is good for without another renewal, as {@link Lease#remaining()}
     * @param renewed whether the watchdog renews it; false for a fixed lease, and once its cap is reached
     * @param renewals renewals that succeeded so far
     * @param owner name of the thread that owns it, or {@code #} and its number if it has none; null: it belongs to no
     *     thread
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
     * @param waiters how many wait
     * @param longest how long the first of them has been waiting
     */
    record Awaited(String name, int waiters, Duration longest) {}

    /**
     * A lock that is held, as the store knows it.
     *
     * @param fencingToken token of the last grant by the store; the owner's own is larger if the lock was handed over in
     *     its memory since. Null: unknown
     * @param remaining time until the lease expires unless it is renewed; null: unknown
     */
    record Stored(@Nullable Long fencingToken, @Nullable Duration remaining) {}
}
