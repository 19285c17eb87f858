package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link LocalLock} wants to happen. Called under the mutex of the lock: an implementation collects the effects, and executes
 * them in this order after it has left the mutex.
 */
interface Effects {

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

    /** The lease was renewed by a command that was sent at that time. */
    void renewed(Grant grant, Moment sentAt);

    /** A renewal has failed; a loss follows if the store has answered. The cause is null if the answer is late, or if it is a loss. */
    void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause);

    /** The grant may be lost soon. The cause is null if a reply is late. */
    void atRisk(Grant grant, @Nullable LockStoreException cause);

    /** The grant is safe again. */
    void recovered(Grant grant);

    /** The grant is lost. */
    void lost(Grant grant, LossReason reason);

    /**
     * The release of the grant is over. Follows the first call of {@link LocalLock#release}, {@link LocalLock#giveBack} or {@link
     * LocalLock#downgrade} for a grant. If the grant was lost before, or the store no longer had it, {@link #lost} precedes, and the
     * state of the grant is LOST.
     *
     * @param failure the failure of the store because of which the outcome is unknown; null: there is none
     */
    void released(Grant grant, @Nullable LockStoreException failure);

    /** The store has named the owner of the lock, another one than before. */
    default void taken(String owner) {}

    /** A wait without an end depends on a store that does not answer; called for the first of several failures. */
    default void waitsForStore(LockStoreException cause) {}

    /** Replaces the time at which {@link LocalLock#timeReached} is to be called; {@link Moment#NEVER}: not at all. */
    void callAt(long nanos);
}
