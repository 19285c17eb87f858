package io.github.lockstarter.lease.queue;

/** A grant that is handed to the waiter of a ticket in memory. */
public interface OfferedGrant {

    /** Called once if no waiter takes the grant: it goes back to the store. Does not block. */
    void abandon();
}
