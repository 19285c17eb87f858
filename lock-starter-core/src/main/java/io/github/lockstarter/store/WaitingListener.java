package io.github.lockstarter.store;

/**
 * Is notified by a store when a waiter of this instance may have been granted its lock. Notifications may be late,
 * repeated or missing: by itself, none of them proves that the waiter owns the lock. Called on threads of the store; must be thread-safe and must not block.
 */
public interface WaitingListener {

    /**
     * Called when a lock may have been granted to an acquisition of this instance.
     *
     * @param lockName full name of the lock
     */
    void handedOver(String lockName);

    /**
     * Called when a release has granted a lock to an acquisition of this instance, for {@link LockStore#claimMillis()}
     * from the release on. The notification may be late or repeated: the grant may have ended since then.
     *
     * @param lockName full name of the lock
     * @param acquisitionId id of the acquisition
     * @param fencingToken token of the grant
     */
    default void granted(String lockName, String acquisitionId, long fencingToken) {
        handedOver(lockName);
    }

    /** Called when notifications may have been lost, so that any lock may have been granted. */
    void missedSome();

    /** Called when the store has moved to another server, which may not have what was granted before. */
    default void moved() {
        missedSome();
    }
}
