package io.github.lockstarter.lease.queue;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;

/** A renewal that confirms the grant of a message, and that is never sent. */
record ConfirmingRenewal(String lockName, String acquisitionId, long leaseMillis) implements Renewal {

    static Renewal of(long leaseMillis) {
        return new ConfirmingRenewal("orders:42", "id", leaseMillis);
    }

    @Override
    public void renewed() {}

    @Override
    public void lost(LossReason reason) {}

    @Override
    public void failed(LockStoreException cause) {}
}
