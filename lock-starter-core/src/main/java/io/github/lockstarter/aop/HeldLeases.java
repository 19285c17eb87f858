package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import java.time.Duration;
import java.util.concurrent.CompletionException;
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
            releaseAfter(lease, keep);
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

    private static void releaseAfter(Lease lease, Duration keep) {
        try {
            boolean unused = lease.releaseAfter(keep);
        } catch (UnsupportedOperationException ex) {
            // A registry of the application's need not be able to.
            lease.close();
        }
    }

    /** Tells a loss, if there was one, beside what the work failed with, unless that is the report of this very loss. */
    static void tellBeside(@Nullable LockLostException loss, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean reported = loss != null
                && cause instanceof LockLostException other
                && other.lockName().equals(loss.lockName())
                && other.fencingToken() == loss.fencingToken();
        if (loss != null && !reported) {
            failure.addSuppressed(loss);
        }
    }
}
