package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import java.util.Map;

/**
 * Stores the fencing tokens of exclusive grants of threads in another system, such as a database, which uses them to
 * reject late owners.
 */
public interface GrantFence {

    /**
     * Called on the thread of the owner after an exclusive grant, before its body runs or its lock method returns. Not
     * called for nested holds. If this method throws, the lock is released and the call throws the same exception.
     *
     * @param waitNanos remaining wait time for the lock in nanoseconds; not positive if none is left
     */
    void granted(Lease lease, LockRequest request, long waitNanos);

    /** Called on the thread of the owner when its last hold of the lease ends, before the release. Must not throw. */
    void ended(Lease lease);

    /** Returns details for the health and the endpoint, by name. The values are texts, numbers, lists and maps. */
    Map<String, Object> details();
}
