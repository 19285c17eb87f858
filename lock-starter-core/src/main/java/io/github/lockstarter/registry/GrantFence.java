package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import java.util.Map;

/**
 * Stores the tokens of threads' exclusive grants in another system, such as a database, which rejects late owners by
 * them.
 */
public interface GrantFence {

    /**
     * Is called in the thread of the owner after an exclusive grant, before its body runs or its lock method returns;
     * not for nested holds. If it throws, the lock is released, and the exception is that of the call.
     *
     * @param waitNanos the remaining wait for the lock in nanoseconds; not positive if none is left
     */
    void granted(Lease lease, LockRequest request, long waitNanos);

    /**
     * Is called in the thread of the owner when its last hold of that lease ends, before the release. Must not throw.
     */
    void ended(Lease lease);

    /** Returns what it has done, by name, for the health and the endpoint: texts, numbers, lists and maps. */
    Map<String, Object> details();
}
