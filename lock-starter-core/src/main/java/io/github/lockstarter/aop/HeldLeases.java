package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import org.jspecify.annotations.Nullable;

/** The end of a lease under which a method worked that returned before its work was done. */
final class HeldLeases {

    private HeldLeases() {}

    /** Releases the lease; tells the loss that its owner wants to hear of, or null. */
    static @Nullable LockLostException end(Lease lease, OnLost onLost) {
        LockLostException loss = null;
        try {
            if (onLost != OnLost.IGNORE) {
                lease.ensureHeld();
            }
        } catch (LockLostException ex) {
            loss = ex;
        }
        lease.close();
        return loss;
    }
}
