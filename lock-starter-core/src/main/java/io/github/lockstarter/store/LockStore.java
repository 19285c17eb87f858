package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;
import java.util.List;

/**
 * Where grants are kept. Each operation is atomic per lock and idempotent per acquisition id: executed twice, by a retry
 * of ours or a replay of the client's, it has the effect of one. Thread-safe.
 *
 * <p>Calls block for at most one command timeout and never for a connection to be opened. They throw
 * {@link LockStoreException}; when a thread is interrupted while it waits for an answer, one whose outcome is unknown,
 * with the interrupt flag set.
 */
public interface LockStore {

    /**
     * Grants the lock if it is free; if the acquisition owns it already, sets the full lease again and answers with the
     * token that it has.
     *
     * @param lockName full name of the lock
     * @param acquisitionId id of the call that asks, unique and never used again
     * @param leaseMillis how long the grant lasts
     */
    AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis);

    /**
     * Renews many leases, each on its own: whatever happens to one does not touch the others. Each of them is told how
     * it went exactly once, possibly by another thread and before or after this call returns.
     *
     * @param renewals at most {@link #renewalBatchSize()}
     */
    void renew(List<? extends Renewal> renewals);

    /** How many leases one call of {@link #renew} takes. */
    int renewalBatchSize();

    /** Frees the lock if the acquisition owns it, and tells those who wait. */
    ReleaseReply release(String lockName, String acquisitionId);

    /** Whether anybody owns the lock. */
    boolean isLocked(String lockName);

    /** Frees the lock whoever owns it, and tells those who wait; false if nobody owned it. */
    boolean forceRelease(String lockName);

    /** Called before somebody starts to wait, so that {@link ReleaseListener} is told from then on. Does not block. */
    void prepareWaiting();

    /**
     * Makes ready for use. Waits a moment for the store, but a store that cannot be reached is no error.
     *
     * @param listener is told of releases, on a thread that it must not block
     */
    void start(ReleaseListener listener);

    /**
     * Gives up all resources; may be started again.
     *
     * @param listener the one that it was started with, which is told nothing any more
     */
    void stop(ReleaseListener listener);

    /** For the line in the log: which store, where, with what timeouts. */
    String description();
}
