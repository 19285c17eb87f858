package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * Observes a grant between its beginning and its end. Its lock calls it for effects, and the engine calls it to publish
 * events.
 */
public interface GrantObserver {

    /** The lease was renewed by a command that was sent at the given time. */
    void renewed(Grant grant, Moment sentAt);

    /**
     * A renewal has failed. If the store has answered, {@link #lost} follows.
     *
     * @param cause the failure, or {@code null} if the reply is late or shows the loss
     */
    void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause);

    /**
     * The grant may be lost soon.
     *
     * @param cause the failure of the renewal, or {@code null} if a reply is late
     */
    void atRisk(Grant grant, @Nullable LockStoreException cause);

    /** A renewal has succeeded after the grant was at risk. */
    void recovered(Grant grant);

    /** The owner is asked to release the grant. Called at most once for each grant. */
    void releaseRequested(Grant grant);

    /** The grant is lost. */
    void lost(Grant grant, LossReason reason);

    /**
     * The release of the grant is over. Called once for each grant, after the first call of {@link LocalLock#release},
     * {@link LocalLock#giveBack} or {@link LocalLock#downgrade}. If the grant was lost before, or the store no longer
     * had it, {@link #lost} is called first and the state of the grant is LOST.
     *
     * @param failure the failure of the store that leaves the outcome unknown, or {@code null} if there is none
     */
    void released(Grant grant, @Nullable LockStoreException failure);
}
