package io.github.lockstarter.lock;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a grant between its beginning and its end, as an effect of its lock, and as an event that is
 * published.
 */
public interface GrantObserver {

    /** The lease was renewed by a command that was sent at that time. */
    void renewed(Grant grant, Moment sentAt);

    /**
     * A renewal has failed; a loss follows if the store has answered. The cause is null if the answer is late, or if it
     * is a loss.
     */
    void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause);

    /** The grant may be lost soon. The cause is null if a reply is late. */
    void atRisk(Grant grant, @Nullable LockStoreException cause);

    /** The grant is safe again. */
    void recovered(Grant grant);

    /** The grant is lost. */
    void lost(Grant grant, LossReason reason);

    /**
     * The release of the grant is over. Follows the first call of {@link LocalLock#release}, {@link LocalLock#giveBack}
     * or {@link LocalLock#downgrade} for a grant. If the grant was lost before, or the store no longer had it, {@link
     * #lost} precedes, and the state of the grant is LOST.
     *
     * @param failure the failure of the store because of which the outcome is unknown; null: there is none
     */
    void released(Grant grant, @Nullable LockStoreException failure);
}
