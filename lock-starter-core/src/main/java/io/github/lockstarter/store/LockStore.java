package io.github.lockstarter.store;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Stores the grants of locks. Thread-safe.
 *
 * <p>Each operation is atomic for its lock, and idempotent for its acquisition id: executed twice, because a caller or
 * a client repeated it, it has the effect of one execution.
 *
 * <p>The id of an acquisition states whether it requests the lock alone, for reading, or permits, see {@link GrantKind}. A
 * store without shared grants may treat every acquisition as exclusive. "Owns" includes the holders of shared grants. A name
 * that is used for permits while it is in use as a lock, or the other way round, is rejected.
 *
 * <p>Calls block for at most one command timeout unless stated otherwise, and never wait for a connection to be opened.
 * They throw {@link LockStoreException} if the store does not answer or rejects the command. If the thread is
 * interrupted while it waits for a reply, they throw one whose outcome is unknown, and set the interrupt flag.
 */
public interface LockStore {

    /**
     * Grants the lock if it is free. If the acquisition owns it already, sets the full lease again and returns the same
     * token. If another acquisition owns it, optionally appends this one to the waiting line, where it is at most once.
     *
     * @param lockName full name of the lock
     * @param acquisitionId id of the acquisition: unique, and never used again after it was released or has left the
     *     line
     * @param leaseMillis duration of the grant in milliseconds
     * @param join whether to join the line if the lock is taken; an acquisition in the line must be released when it
     *     gives up
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    AcquireReply acquire(String lockName, String acquisitionId, long leaseMillis, boolean join);

    /**
     * Acquires as {@link #acquire} does, but returns without waiting for the reply. Never blocks.
     *
     * @return completed on a thread that must not be blocked, exceptionally with a {@link LockStoreException}; null
     *     (the default) if this store does not support it
     */
    default @Nullable CompletionStage<AcquireReply> acquireLater(
            String lockName, String acquisitionId, long leaseMillis, boolean join) {
        return null;
    }

    /**
     * Renews leases, each independently of the others. Each renewal is notified of its outcome exactly once, possibly
     * by another thread, and before or after this method returns. Does not throw for renewals that fail.
     *
     * @param renewals at most {@link #renewalBatchSize()}
     */
    void renew(List<? extends Renewal> renewals);

    /**
     * Renews one lease as {@link #renew} does, but returns without waiting for the reply. Never blocks.
     *
     * @return false (the default) if this store does not support it: nothing was sent, and the renewal is not notified
     */
    default boolean renewLater(Renewal renewal) {
        return false;
    }

    /** Returns the largest number of leases in one call of {@link #renew}. */
    int renewalBatchSize();

    /**
     * Releases the lock if the acquisition owns it, and grants it to the first in the waiting line, or else to the
     * successor. An acquisition that does not own the lock but is in the line leaves it.
     *
     * @param lastToken last fencing token used under that id; 0: the one that was granted
     * @param successor the next waiter of this instance; null: there is none
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    ReleaseReply release(String lockName, String acquisitionId, long lastToken, @Nullable Successor successor);

    /**
     * Releases as {@link #release} does, but returns without waiting for the reply. Never blocks. The command is
     * executed before every later command of this instance for the lock; the order is not guaranteed when the server
     * has lost its scripts since the last call.
     *
     * @return completed on a thread that must not be blocked, exceptionally with a {@link LockStoreException}; null
     *     (the default) if this store does not support it
     */
    default @Nullable CompletionStage<ReleaseReply> releaseLater(
            String lockName, String acquisitionId, long lastToken, @Nullable Successor successor) {
        return null;
    }

    /**
     * Ends the grant of the acquisition but keeps the lock taken until it expires by itself. The acquisition does not
     * own the lock any more: a late acquire, renewal or release under its id changes nothing. A repetition never adds
     * time.
     *
     * @param keepMillis milliseconds until the lock expires, at least 1
     * @return {@code RELEASED} if the lock is kept, also by an earlier call; {@code GONE} or {@code TAKEN} if the
     *     acquisition does not own it; {@code UNPROVEN} if that may be the reply to a second execution after the lock
     *     has expired
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    ReleaseReply keep(String lockName, String acquisitionId, long keepMillis);

    /**
     * Keeps the lock as {@link #keep} does, but returns without waiting for the reply. Never blocks.
     *
     * @return completed on a thread that must not be blocked, exceptionally with a {@link LockStoreException}; null
     *     (the default) if this store does not support it
     */
    default @Nullable CompletionStage<ReleaseReply> keepLater(String lockName, String acquisitionId, long keepMillis) {
        return null;
    }

    /**
     * Turns the exclusive owner of the lock into its reader, with the same fencing token, and grants the lock to the readers
     * at the beginning of the waiting line. The id of the reader is {@link GrantKind#readerOf}. A repetition sets the full
     * lease again.
     *
     * @param lastToken last fencing token used under the id of the owner
     * @param leaseMillis duration of the reader's lease in milliseconds
     * @return {@code GRANTED_TO_SUCCESSOR} or {@code GRANTED_UNCONFIRMED} with the token if the reader shares the lock now;
     *     {@code GONE} or {@code TAKEN} if the acquisition does not own it
     * @throws LockStoreException if the store does not answer or rejects the command
     * @throws UnsupportedOperationException if this store has no shared grants, which is the default
     */
    default ReleaseReply downgrade(String lockName, String acquisitionId, long lastToken, long leaseMillis) {
        throw new UnsupportedOperationException("This lock store has no readers.");
    }

    /**
     * Returns whether the lock is owned by any acquisition.
     *
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    boolean isLocked(String lockName);

    /**
     * Queries as {@link #isLocked} does, but returns without waiting for the reply. Never blocks.
     *
     * @return completed on a thread that must not be blocked, exceptionally with a {@link LockStoreException}; null
     *     (the default) if this store does not support it
     */
    default @Nullable CompletionStage<Boolean> isLockedLater(String lockName) {
        return null;
    }

    /**
     * Returns the lock without changing it. By default it has no more data than that it is owned.
     *
     * @return null if the lock is free
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    default @Nullable StoredLock find(String lockName) {
        return isLocked(lockName) ? StoredLock.OWNED : null;
    }

    /**
     * Publishes the description of this instance, or its time to live again. Never blocks. It is independent of all locks.
     *
     * @param instance description of this instance, always the same between {@link #start} and {@link #stop}
     * @param ttlMillis milliseconds until the description is removed unless it is published again
     * @return completed on a thread that must not be blocked, exceptionally with a {@link LockStoreException}; null
     *     (the default) if this store keeps no descriptions
     */
    default @Nullable CompletionStage<?> publishInstance(LockHolder instance, long ttlMillis) {
        return null;
    }

    /**
     * Queries the description that an instance has published. Never blocks.
     *
     * @param instance id of the instance
     * @return empty if there is none; completed on a thread that must not be blocked, exceptionally with a {@link
     *     LockStoreException}; null (the default) if this store keeps no descriptions
     */
    default @Nullable CompletionStage<Optional<LockHolder>> findInstance(String instance) {
        return null;
    }

    /**
     * Releases the lock on behalf of its owner, whichever that is, and of all holders. May block for one command timeout
     * more than there are holders.
     *
     * @return false if the lock was free
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    boolean forceRelease(String lockName);

    /**
     * Releases the lock on behalf of all readers, and changes nothing if it has none. May block as {@link #forceRelease} does.
     *
     * @return false (the default) if the lock had no readers
     * @throws LockStoreException if the store does not answer or rejects the command
     */
    default boolean forceReleaseReaders(String lockName) {
        return false;
    }

    /**
     * Returns the milliseconds for which a release grants the lock to the first in the waiting line, if the store
     * notifies the listener of such grants with their tokens; 0 (the default): it does not.
     */
    default long claimMillis() {
        return 0;
    }

    /**
     * Prepares notifications; called before an acquisition starts to wait. The {@link WaitingListener} is notified from
     * then on, or as soon as possible, beginning with {@link WaitingListener#missedSome()}. Does not block.
     */
    void prepareWaiting();

    /**
     * Starts the store. Waits a limited time for a connection; a store that cannot be reached is no error.
     *
     * @param instanceId random id of this run, not used before
     * @param listener notified when waiters may have been granted their lock
     */
    void start(String instanceId, WaitingListener listener);

    /**
     * Stops the store and frees its resources. Grants stay in the store. It may be started again.
     *
     * @param listener the listener of {@link #start}, which is not notified any more
     */
    void stop(WaitingListener listener);

    /** Returns whether the store is connected, as far as is known without I/O. By default true. */
    default boolean isConnected() {
        return true;
    }

    /** Returns the kind of store and where it is, for the log. */
    String description();
}
