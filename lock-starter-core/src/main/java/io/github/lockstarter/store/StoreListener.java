package io.github.lockstarter.store;

/** Receives notifications of a {@link LockStore}, on threads that must not be blocked. */
public interface StoreListener {

    /**
     * The store has granted the lock to an acquisition of this instance that was in the waiting line. The notification
     * may be late, repeated or missing, and may be forged by any client that may write to the channel.
     *
     * @param id id of the acquisition
     * @param token fencing token of the grant, positive
     */
    void granted(String lock, String id, long token);

    /**
     * A message about a grant of this instance has arrived. It may be late, repeated or missing, and may be forged by
     * any client that may write to the channel.
     *
     * @param id id of the acquisition
     */
    void notified(String lock, String id, Notice notice);

    /** A message was received that no store has sent. */
    void messageRejected();

    /**
     * Notifications may be missing since the last call, because a subscription has begun, has failed or was
     * interrupted.
     */
    void notificationsMayBeLost();

    /** Commands go to another server from now on, which may lack the data that the previous server has stored. */
    void serverChanged();
}
