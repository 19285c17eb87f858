package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.GrantKind;

/**
 * The actions that a {@link LocalLock} requests, and the ids and random numbers that it needs. The lock calls these
 * methods under its mutex. {@link Delivery} collects the effects, and executes them later in the same order and without
 * the mutex, by calling the same methods of its driver. A simulation supplies reproducible ids and numbers.
 */
public interface Effects extends GrantObserver {

    /** How this JVM obtained a grant. */
    enum Way {
        /** The reply to a command of the acquisition has granted the lock. */
        REPLY,
        /** A message of the store has reported the grant, which a renewal then confirms. */
        MESSAGE,
        /** Another grant of this JVM was released, in memory or in the same step of the store. */
        LOCAL,
        /** A reader has joined an acquisition of this JVM. */
        JOINED,
        /** A writer of this JVM has become a reader. */
        DOWNGRADED
    }

    /** Returns a new acquisition id, which states the kind and was never returned before. */
    String id(GrantKind kind);

    /** Returns a random number from 0 (inclusive) to the bound (exclusive). */
    long below(long bound);

    /** Sends a command, or lets it wait until other commands have their outcome. */
    void send(Sent sent);

    /**
     * Withdraws the acquires of the acquisition that wait to be sent. They get no outcome.
     *
     * @return the number of withdrawn acquires
     */
    int withdraw(Acquisition acquisition);

    /** The wait has ended with a grant, which its owner must release. */
    void granted(Waiter waiter, Grant grant, Way way);

    /** The wait has ended without a grant. */
    void refused(Waiter waiter, Refusal refusal);

    /** A reply of the store has named an owner of the lock that differs from the previous one. */
    default void taken(String owner) {}

    /**
     * A wait without a time limit depends on a store that does not answer. Called for the first of several failures.
     */
    default void waitsForStore(LockStoreException cause) {}
}
