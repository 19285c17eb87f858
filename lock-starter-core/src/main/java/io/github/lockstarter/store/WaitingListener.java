package io.github.lockstarter.store;

/**
 * Is notified by a store when a waiter of this instance may have been granted its lock. Notifications are hints: only
 * the reply to an acquire is a grant. Called on threads of the store; must be thread-safe and must not block.
 */
public interface WaitingListener {

    /**
     * Called when a lock may have been granted to an acquisition of this instance.
     *
     * @param lockName full name of the lock
     */
    void handedOver(String lockName);

    /** Called when notifications may have been lost, so that any lock may have been granted. */
    void missedSome();
}
