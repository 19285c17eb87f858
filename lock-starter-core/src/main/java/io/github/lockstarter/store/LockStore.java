package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
     * token that it has. Otherwise it may join the waiting line, once however often it asks.
     *
     * @param lockName full name of the lock
     * @param acquisitionId id of the call that asks, unique and never used again once it has released or left
     * @param leaseMillis how long the grant lasts
     * @param join whether to join the line if the lock is taken; whoever does must release the id if it gives up
     */
    AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join);

    /**
     * As {@link #acquire}, but returns once the command is on its way; never blocks. By default no store can do that.
     *
     * @return completed on a thread that must not be blocked; with a {@link LockStoreException} if there was no answer.
     *     Null: this store cannot do that
     */
    default @Nullable CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return null;
    }

    /**
     * Renews many leases, each on its own: whatever happens to one does not touch the others. Each of them is told how
     * it went exactly once, possibly by another thread and before or after this call returns.
     *
     * @param renewals at most {@link #renewalBatchSize()}
     */
    void renew(List<? extends Renewal> renewals);

    /** How many leases one call of {@link #renew} takes. */
    int renewalBatchSize();

    /**
     * Gives the lock back if the acquisition owns it: to the first in the waiting line, or else to the successor, or to
     * nobody. An acquisition that stands in the line leaves it.
     *
     * @param lastToken the last fencing token used under that id; 0: the one that was granted
     * @param successor who asks next in this instance; null: nobody
     */
    ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor);

    /**
     * As {@link #release}, but returns once the command is on its way, ordered before every later command of this
     * instance for that lock; but a server that has just forgotten the script learns it first. Never blocks. By default
     * no store can do that.
     *
     * @return completed on a thread that must not be blocked; with a {@link LockStoreException} if there was no answer.
     *     Null: this store cannot do that
     */
    default @Nullable CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return null;
    }

    /**
     * Ends the grant of the acquisition but keeps the lock taken: it expires by itself after that many milliseconds. The
     * acquisition does not own the lock any more, so that an acquire, renewal or release under its id that is executed
     * late changes nothing. Repeated, it never lengthens the time that is left.
     *
     * @param keepMillis at least 1
     * @return {@code RELEASED}, also if the lock is kept already; {@code GONE} or {@code TAKEN} if the acquisition does
     *     not own it; {@code UNPROVEN} if that may be the answer to a second execution after the lock has expired
     */
    ReleaseReply keep(String lockName, String acquisitionId, long keepMillis);

    /**
     * As {@link #keep}, but returns once the command is on its way; never blocks. By default no store can do that.
     *
     * @return completed on a thread that must not be blocked; with a {@link LockStoreException} if there was no answer.
     *     Null: this store cannot do that
     */
    default @Nullable CompletionStage<ReleaseReply> keepLater(String lockName, String acquisitionId, long keepMillis) {
        return null;
    }

    /** Whether anybody owns the lock. */
    boolean isLocked(String lockName);

    /**
     * As {@link #isLocked}, but returns once the command is on its way; never blocks. By default no store can do that.
     *
     * @return completed on a thread that must not be blocked; with a {@link LockStoreException} if there was no answer.
     *     Null: this store cannot do that
     */
    default @Nullable CompletionStage<Boolean> isLockedLater(String lockName) {
        return null;
    }

    /**
     * Looks at a lock without changing anything; by default a store tells no more than that it is owned. May take two
     * command timeouts.
     *
     * @return null: nobody owns it
     */
    default @Nullable StoredLock find(String lockName) {
        return isLocked(lockName) ? StoredLock.OWNED : null;
    }

    /** Takes the lock from whoever owns it, as if that one had released it; false if nobody owned it. */
    boolean forceRelease(String lockName);

    /**
     * Called before somebody starts to wait: the {@link WaitingListener} is told from then on, or as soon as possible,
     * which it learns by {@link WaitingListener#missedSome()}. Does not block.
     */
    void prepareWaiting();

    /**
     * Makes ready for use. Waits a moment for the store, but a store that cannot be reached is no error.
     *
     * @param instanceId random name of this run, not used before
     * @param listener is told when waiting may be over, on a thread that it must not block
     */
    void start(String instanceId, WaitingListener listener);

    /**
     * Gives up all resources; may be started again.
     *
     * @param listener the one that it was started with, which is told nothing any more
     */
    void stop(WaitingListener listener);

    /** Returns whether the store has been reached, as far as is known without asking it; a store in memory always is. */
    default boolean isConnected() {
        return true;
    }

    /** For the line in the log: which store, where, with what timeouts. */
    String description();
}
