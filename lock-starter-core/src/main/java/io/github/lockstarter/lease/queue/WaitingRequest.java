package io.github.lockstarter.lease.queue;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/** An acquisition that waits, as queue, release and hand-off need it. */
public interface WaitingRequest {

    LockRequest request();

    /** Returns the thread to which the grant will belong; null: none. */
    @Nullable
    Thread owner();

    /** Returns what is requested of the lock. */
    GrantKind kind();

    /** Returns the lease in milliseconds. */
    long leaseMillis();

    /** Returns whether the watchdog will renew the grant. */
    boolean wantsRenewal();

    /** Returns whether it stands in the line of the store while the lock is taken. */
    boolean mayWait();

    /** Returns whether its caller waits at this moment. */
    boolean isWaiting();

    /** Returns the nanoseconds at which it began. */
    long startedAt();
}
