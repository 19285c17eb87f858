package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leases on which the transactions of the current thread depend: after the loss of one, none of them may commit.
 */
public final class GuardedLeases {

    private static final ThreadLocal<@Nullable List<Lease>> CURRENT = new ThreadLocal<>();

    private GuardedLeases() {}

    /** Adds the lease to those of the current thread, once for each call. */
    public static void add(Lease lease) {
        List<Lease> leases = CURRENT.get();
        if (leases == null) {
            leases = new ArrayList<>(2);
            CURRENT.set(leases);
        }
        leases.add(lease);
    }

    /** Removes the lease once; has no effect if the current thread does not have it. */
    public static void remove(Lease lease) {
        List<Lease> leases = CURRENT.get();
        if (leases == null) {
            return;
        }
        for (int i = leases.size() - 1; i >= 0; i--) {
            if (leases.get(i) == lease) {
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
        List<Lease> leases = CURRENT.get();
        if (leases != null) {
            leases.forEach(Lease::ensureHeld);
        }
    }
}
