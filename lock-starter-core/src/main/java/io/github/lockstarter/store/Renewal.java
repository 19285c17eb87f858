package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;

/**
 * One lease in a call of {@link LockStore#renew}. The store calls exactly one of {@link #renewed}, {@link #lost} and
 * {@link #failed}, once and on any thread; they must not block.
 */
public interface Renewal {

    /** Returns the full name of the lock. */
    String lockName();

    /** Returns the id of the acquisition that must own the lock. */
    String acquisitionId();

    /**
     * Returns the milliseconds that are left of the lease afterwards, unless more were left: a renewal never shortens.
     */
    long leaseMillis();

    /** Called when the acquisition owns the lock and its lease was renewed. */
    void renewed();

    /**
     * Called when the acquisition does not own the lock. Nothing was changed.
     *
     * @param reason {@code DELETED} if the lock is free, {@code TAKEN_OVER} if another acquisition owns it
     */
    void lost(LossReason reason);

    /** Called when there was no usable reply; whether the lease was renewed is unknown. */
    void failed(LockStoreException cause);
}
