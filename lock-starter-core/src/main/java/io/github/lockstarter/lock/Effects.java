package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.GrantKind;

/**
 * What a {@link LocalLock} wants to happen, and what it draws. Called under the mutex of the lock: an implementation
 * collects the effects, and executes them in this order after it has left the mutex. A simulation draws the same values
 * again.
 */
public interface Effects extends GrantObserver {

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

    /** Returns an acquisition id that states the kind, and that was never drawn before. */
    String id(GrantKind kind);

    /** Returns a random number from 0 to the bound, without the bound. */
    long below(long bound);

    /** Sends a command, or lets it wait until others have their outcome. */
    void send(Sent sent);

    /**
     * Withdraws the acquires of the acquisition that wait to be sent, and returns their number. They get no outcome.
     */
    int withdraw(Acquisition acquisition);

    /** The wait has ended with a grant, which its receiver must release. */
    void granted(Waiter waiter, Grant grant, Way way);

    /** The wait has ended without a grant. */
    void refused(Waiter waiter, Refusal refusal);

    /** The store has named the owner of the lock, another one than before. */
    default void taken(String owner) {}

    /** A wait without an end depends on a store that does not answer; called for the first of several failures. */
    default void waitsForStore(LockStoreException cause) {}
}
