package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The leases under which the current thread works: while one of them is lost, none of its transactions may commit. */
public final class GuardedLeases {

    private static final ThreadLocal<@Nullable List<Lease>> CURRENT = new ThreadLocal<>();

    private GuardedLeases() {}

    /** From now on the lease counts in this thread; once more each time. */
    public static void add(Lease lease) {
        List<Lease> leases = CURRENT.get();
        if (leases == null) {
            leases = new ArrayList<>(2);
            CURRENT.set(leases);
        }
        leases.add(lease);
    }

    /** It counts once less; nothing happens if it did not count in this thread. */
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
     * Checks them all.
     *
     * @throws LockLostException for the first that cannot be relied on any more
     */
    static void ensureHeld() {
        List<Lease> leases = CURRENT.get();
        if (leases != null) {
            leases.forEach(Lease::ensureHeld);
        }
    }
}
