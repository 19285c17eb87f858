package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leases on which the transactions of the current thread depend: after the loss of one, none of them may commit.
 */
public final class GuardedLeases {

    /** Each element is a Lease, or a LeaseLock of the thread if its lease may be replaced by the lease of a reader. */
    private static final ThreadLocal<@Nullable List<Object>> CURRENT = new ThreadLocal<>();

    private GuardedLeases() {}

    /**
     * Adds a lease to the leases of the current thread, once for each call.
     *
     * @param guarded a Lease, or a LeaseLock: the lease that the thread has for that lock at the time of a commit
     */
    public static void add(Object guarded) {
        List<Object> leases = CURRENT.get();
        if (leases == null) {
            leases = new ArrayList<>(2);
            CURRENT.set(leases);
        }
        leases.add(guarded);
    }

    /** Removes what was added once; has no effect if the current thread does not have it. */
    public static void remove(Object guarded) {
        List<Object> leases = CURRENT.get();
        if (leases == null) {
            return;
        }
        for (int i = leases.size() - 1; i >= 0; i--) {
            if (leases.get(i) == guarded) {
                leases.remove(i);
                break;
            }
        }
        if (leases.isEmpty()) {
            CURRENT.remove();
        }
    }

    /**
     * Checks all leases of the current thread.
     *
     * @throws LockLostException for the first that is lost
     */
    static void ensureHeld() {
        List<Object> leases = CURRENT.get();
        if (leases != null) {
            leases.forEach(guarded -> leaseOf(guarded).ensureHeld());
        }
    }

    private static Lease leaseOf(Object guarded) {
        return guarded instanceof LeaseLock lock ? lock.currentLease() : (Lease) guarded;
    }
}
