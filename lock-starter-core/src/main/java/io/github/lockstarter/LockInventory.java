package io.github.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lists the locks that this instance holds and waits for, for monitoring. Results may be outdated on return, so do not
 * base decisions on them. Other instances are covered only by {@link #stored}. Times are in whole milliseconds.
 * Thread-safe.
 *
 * <p>The registry of the starter implements this interface; inject it by this type.
 */
public interface LockInventory {

    /**
     * Returns the locks that this instance holds, in no order. Each lease has an element, and a shared lock can have
     * several leases. No I/O; the duration grows with the number of leases.
     */
    List<Held> held();

    /**
     * Returns the hold of the lock in this instance, or empty if there is none. If there are several, returns the one
     * that has lasted longest. No I/O.
     */
    Optional<Held> held(String lockName);

    /** Returns the locks for which this instance waits, in no order: an element for each lock and mode. No I/O. */
    List<Awaited> awaited();

    /**
     * Returns the waiters for the lock in this instance, or empty if there are none. All modes are counted together;
     * the mode is the one requested by the waiter that has been waiting longest. No I/O.
     */
    Optional<Awaited> awaited(String lockName);

    /**
     * Returns the lock as the store describes it, whichever instance owns it. Blocks for at most two command timeouts:
     * one for the lock, and one for the descriptions of all instances that are not known yet.
     *
     * @return the lock, or empty if it is free
     * @throws LockStoreException if the store does not answer
     */
    Optional<Stored> stored(String lockName);

    /**
     * Returns the lock as {@link #stored} does, without blocking. Several locks can therefore be read at the same time.
     *
     * @return a stage that is completed on a thread that must not be blocked; it fails with a {@link
     *     LockStoreException} if the store does not answer
     */
    CompletionStage<Optional<Stored>> storedAsync(String lockName);

    /**
     * Returns the health of this instance's locks. Never waits for the store, and therefore returns within milliseconds
     * even if the store does not answer: a call starts a health check in the background, at most once a second, and the
     * result contains the last reply.
     */
    LockHealth health();

    /**
     * Returns the server that stores the locks, as it was at the last check after connecting, or empty if there is none
     * because the locks are in memory. No I/O.
     */
    Optional<Server> server();

    /**
     * A lock that this instance holds.
     *
     * @param name full name of the lock
     * @param mode mode of the grant
     * @param permits number of permits; 0 for a lock
     * @param fencingToken token of the grant; readers of one instance may share it
     * @param state {@code HELD} or {@code AT_RISK}
     * @param heldFor time since the grant
     * @param remaining time until the lease expires without another renewal, as {@link Lease#remaining()}
     * @param renewed whether the watchdog renews the lease; false for a fixed lease, and after {@code maxHold}
     * @param renewals number of successful renewals
     * @param owner name of the owning thread, or {@code #} and its number if it has no name, or {@code null} if no
     *     thread owns the lease
     * @param releaseRequested whether the owner was asked to release the lease
     */
    record Held(
            String name,
            LockMode mode,
            int permits,
            long fencingToken,
            Lease.State state,
            Duration heldFor,
            Duration remaining,
            boolean renewed,
            int renewals,
            @Nullable String owner,
            boolean releaseRequested) {}

    /**
     * A lock for which this instance waits.
     *
     * @param name full name of the lock
     * @param mode mode of the grants for which they wait
     * @param waiters number of waiters
     * @param longest how long the first one has been waiting
     */
    record Awaited(String name, LockMode mode, int waiters, Duration longest) {}

    /**
     * A lock that is held, as the store describes it.
     *
     * @param mode mode of the present grants, or {@code null} if it is unknown
     * @param fencingToken token of the last grant by the store; the owner's token is larger if the lock was handed over
     *     in memory since then. {@code null} if it is unknown
     * @param remaining time until the lease expires unless it is renewed, until the last lease expires if there are
     *     several holders, or {@code null} if it is unknown
     * @param holder the instance that owns the lock, the first one if there are several holders, or {@code null} if it
     *     is unknown
     * @param since time of the last grant by the store, by the clock of the Redis server; later grants that were handed
     *     over in memory do not change it. {@code null} if it is unknown
     * @param waiting number of entries in the line of the store, at most one of each kind for each instance, or {@code
     *     null} if it is unknown
     * @param line the first 100 entries of the line in the order of arrival; empty if they are unknown
     * @param holders the holders of a shared lock in the order of their grants; empty if the lock is owned exclusively,
     *     or if they are unknown
     */
    record Stored(
            @Nullable LockMode mode,
            @Nullable Long fencingToken,
            @Nullable Duration remaining,
            @Nullable LockHolder holder,
            @Nullable Instant since,
            @Nullable Integer waiting,
            List<StoredWaiter> line,
            List<StoredGrant> holders) {

        /** Creates a description. */
        public Stored {
            line = List.copyOf(line);
            holders = List.copyOf(holders);
        }
    }

    /**
     * An entry in the line of a lock in the store: an instance that waits for it.
     *
     * @param waiter the instance
     * @param mode mode of the grant for which it waits
     */
    record StoredWaiter(LockHolder waiter, LockMode mode) {}

    /**
     * The grant of one of the holders of a shared lock, as the store describes it. Readers of one instance may share
     * one grant.
     *
     * @param id id of the grant, which no other grant has
     * @param holder the instance
     * @param fencingToken token of the grant
     * @param remaining time until the lease expires unless it is renewed, or {@code null} if it is unknown
     * @param permits number of permits that it holds; 0 for a lock
     * @param since time of the grant, by the clock of the Redis server, or {@code null} if it is unknown
     */
    record StoredGrant(
            String id,
            LockHolder holder,
            long fencingToken,
            @Nullable Duration remaining,
            int permits,
            @Nullable Instant since) {}

    /**
     * The server that stores the locks. In a cluster, product and version are those of one node.
     *
     * @param product the product as {@code INFO} reports it, such as {@code Redis} or {@code Valkey}, or {@code null}
     *     if the server did not report it
     * @param version version of the product, or {@code null} if the server did not report it
     * @param topology {@code standalone}, {@code sentinel} or {@code cluster}, as the connection is configured, or
     *     {@code null} if the client of the application does not show it
     * @param database the database, or {@code null} if the client of the application does not show it
     * @param time the command by which scripts read the time of the server, {@code TIME} or {@code PEXPIRETIME}, or
     *     {@code null} without a connection
     */
    record Server(
            @Nullable String product,
            @Nullable String version,
            @Nullable String topology,
            @Nullable Integer database,
            @Nullable String time) {

        /** Returns this server with the given command for the time. */
        public Server withTime(String command) {
            return new Server(this.product, this.version, this.topology, this.database, command);
        }

        /** Returns what is known, such as {@code Valkey 8.0.1, standalone, database 0, time by TIME}. */
        @Override
        public String toString() {
            String known = this.product != null ? this.product + ' ' + this.version : "unknown";
            return known
                    + (this.topology != null ? ", " + this.topology + ", database " + this.database : "")
                    + (this.time != null ? ", time by " + this.time : "");
        }
    }
}
