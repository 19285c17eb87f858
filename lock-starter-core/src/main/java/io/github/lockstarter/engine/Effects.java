package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;

/**
 * What a {@link LocalLock} wants to happen. Called under the mutex of the lock: an implementation collects the effects, and executes
 * them in this order after it has left the mutex.
 */
interface Effects extends GrantObserver {

    /** How a grant came to this JVM. */
    enum Way {
        /** The store's reply to a command of the acquisition. */
        REPLY,
        /** A message of the store, which a renewal confirms. */
        MESSAGE,
        /** The release of another grant of this JVM, in memory or in the same step of the store. */
        LOCAL,
        /** A reader has joined a grant of this JVM. */
        JOINED,
        /** A writer of this JVM has become a reader. */
        DOWNGRADED
    }

    /** Sends a command. */
    void send(Sent sent);

    /** The wait has ended with a grant, which its receiver must release. */
    void granted(Waiter waiter, Grant grant, Way way);

    /** The wait has ended without a grant. */
    void refused(Waiter waiter, Refusal refusal);

    /** The store has named the owner of the lock, another one than before. */
    default void taken(String owner) {}

    /** A wait without an end depends on a store that does not answer; called for the first of several failures. */
    default void waitsForStore(LockStoreException cause) {}

    /** Replaces the time at which {@link LocalLock#timeReached} is to be called; {@link Moment#NEVER}: not at all. */
    void callAt(long nanos);
}
