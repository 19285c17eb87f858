package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The end of a lease under which a method worked that returned before its work was done. */
final class HeldLeases {

    private HeldLeases() {}

    /**
     * Releases the lease; tells the loss that its owner wants to hear of, or null.
     *
     * @param keep how long the lock is to stay taken; zero: no longer
     */
    static @Nullable LockLostException end(Lease lease, Duration keep, OnLost onLost) {
        if (keep.isZero()) {
            lease.close();
        } else {
            boolean unused = lease.releaseAfter(keep);
        }
        // Asked after the release, which may be the first to find the lock gone. What its owner gave back is no loss.
        if (onLost == OnLost.IGNORE || lease.state() != Lease.State.LOST) {
            return null;
        }
        try {
            lease.ensureHeld();
            return null;
        } catch (LockLostException ex) {
            return ex;
        }
    }
}
