package io.github.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds and waits for, to look at and not to decide by: the answer may be outdated when it arrives.
 * Of other instances it knows nothing, except for what {@link #stored} asks the store. Times are in whole milliseconds.
 * Thread-safe.
 *
 * <p>The registry that the starter makes implements it; inject it by this type.
 */
public interface LockInventory {

    /** Locks that this instance holds, in no order. No I/O; costs some time with very many of them. */
    List<Held> held();

    /** What this instance holds of that lock; empty: nothing. No I/O. */
    Optional<Held> held(String lockName);

    /** Locks that somebody in this instance waits for, in no order. No I/O. */
    List<Awaited> awaited();

    /** Who waits in this instance for that lock; empty: nobody. No I/O. */
    Optional<Awaited> awaited(String lockName);

    /**
     * Asks the store who has the lock, whichever instance that is. Blocks for at most two command timeouts.
     *
     * @return empty: nobody has it
     * @throws LockStoreException if the store does not answer
     */
    Optional<Stored> stored(String lockName);

    /**
     * How this instance's locks are. Never asks the store on the calling thread, and so answers within milliseconds even
     * if the store is silent: a question goes out in the background, at most one a second and only when somebody calls
     * this, and what it brings in time or brought before is the answer.
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
     * A lock that somebody in this instance waits for, whoever has it.
     *
     * @param name full name of the lock
     * @param waiters how many wait
     * @param longest how long the one who came first has been waiting
     */
    record Awaited(String name, int waiters, Duration longest) {}

    /**
     * A lock that somebody has, as the store knows it.
     *
     * @param fencingToken token of the last grant by the store; the owner's own is larger if the lock was handed over in
     *     its memory since. Null: the store does not tell
     * @param remaining time until the lease runs out if nobody renews it; null: the store does not tell
     */
    record Stored(@Nullable Long fencingToken, @Nullable Duration remaining) {}
}
