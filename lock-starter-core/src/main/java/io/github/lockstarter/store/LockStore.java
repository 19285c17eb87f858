package io.github.lockstarter.store;

import io.github.lockstarter.LockInventory.Server;
import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Stores the grants of locks. Thread-safe.
 *
 * <p>A store without a waiting line replies {@link Reply.Taken} with a poll interval of 0, and is polled. A store
 * without shared grants may treat every acquisition as exclusive. A name that is used for permits while it is in use as
 * a lock, or the other way round, is rejected.
 *
 * <p>A command that fails does so with a {@link LockStoreException}, within one command timeout. If the command may
 * have been executed, or may still be, the outcome is unknown. A reply that may belong to a second execution of the
 * command, and would have been another one at the first, is not delivered: the command fails with an unknown outcome
 * instead. For a release, the reply is then {@link Reply.Released}.
 */
public interface LockStore {

    /**
     * Starts the store. Waits at most a few command timeouts for a connection, and continues without one. A stopped
     * store may be started again.
     *
     * @param instance random id of this run, not used before, with which all ids of its acquisitions begin
     * @param listener notified until the store is stopped
     */
    void start(String instance, StoreListener listener);

    /** Stops the store and frees its resources. Grants stay in the store. */
    void stop();

    /**
     * Executes a command and waits for the reply. Never waits for a connection to be opened. If the thread is
     * interrupted, fails with an unknown outcome, and sets the interrupt flag.
     *
     * @throws LockStoreException if there is no usable reply
     */
    Reply call(Command command);

    /**
     * Executes a command without waiting for the reply. Never blocks and never throws.
     *
     * @return a stage that is completed on a thread that must not be blocked; it fails with a {@link
     *     LockStoreException}
     */
    CompletionStage<Reply> send(Command command);

    /**
     * Prepares to receive messages about the grants of this instance, unless that has been done. Called again and again
     * while it holds locks. Never blocks.
     */
    default void listen() {}

    /** Returns whether {@link #send} needs no thread, so that any number of commands may be under way. */
    default boolean sendsWithoutThread() {
        return true;
    }

    /** Returns the largest number of leases in one {@link Command.RenewAll}. */
    int renewalBatchSize();

    /**
     * Returns the milliseconds for which a release grants the lock to the first in the waiting line, if the listener is
     * notified of such grants with their tokens, and if they need no confirmation by another command. Returns 0 if
     * messages are only hints.
     */
    long claimMillis();

    /**
     * Returns why locks cannot be acquired, as words after "start", or {@code null} if no reason is known without I/O.
     */
    @Nullable
    String obstacle();

    /** Returns how waiters of other instances are notified, or {@code null} if the store has no such instances. */
    default @Nullable MessageStatus messages() {
        return null;
    }

    /** Returns the kind of store and where it is, for the log. */
    String description();

    /** Returns the server, as it was at the last check after connecting, or {@code null} if there is none. */
    default @Nullable Server server() {
        return null;
    }
}
