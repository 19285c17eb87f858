package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;

/** One lease in a call of {@link LockStore#renew}, and whom to tell how it went. */
public interface Renewal {

    /** Full name of the lock. */
    String lockName();

    /** Id of the acquisition that must own it. */
    String acquisitionId();

    /** What is left of the lease afterwards, unless more was left before: a renewal never shortens. */
    long leaseMillis();

    /** The acquisition owns the lock, and the lease was renewed. */
    void renewed();

    /** The acquisition does not own the lock any more: {@code DELETED} or {@code TAKEN_OVER}. Nothing was changed. */
    void lost(LossReason reason);

    /** There was no usable answer. */
    void failed(LockStoreException cause);
}
