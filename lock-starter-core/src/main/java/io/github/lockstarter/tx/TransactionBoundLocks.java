package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LoggedNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The locks that one transaction holds until it has completed. They are released after all other synchronizations. Used
 * by the thread of the transaction.
 */
final class TransactionBoundLocks implements TransactionSynchronization, Ordered {

    private final Map<Key, BoundLock> locks = new LinkedHashMap<>();

    private final List<BoundLease> leases = new ArrayList<>(1);

    private record Key(String lockName, LockMode mode) {}

    /** Holds a lock of the current thread, once for each mode. The hold of a writer is that of a reader as well. */
    BoundLock hold(LockRegistry registry, LockRequest request, LoggedNames names) {
        Key key = new Key(request.lockName(), request.mode());
        BoundLock present = this.locks.get(key);
        if (present == null && request.mode() == LockMode.READ) {
            present = this.locks.get(new Key(request.lockName(), LockMode.WRITE));
        }
        if (present != null) {
            return present;
        }
        BoundLock bound = new BoundLock(registry, request, names);
        bound.begin();
        this.locks.put(key, bound);
        return bound;
    }

    /** Holds a lease that belongs to no thread. */
    Lease hold(Lease lease, LockRequest request, boolean guarded) {
        BoundLease bound = new BoundLease(lease, request, guarded);
        this.leases.add(bound);
        return bound;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /** Covers transaction managers that are not beans, and so have no {@link CommitGuard}. */
    @Override
    public void beforeCommit(boolean readOnly) {
        GuardedLeases.ensureHeld();
    }

    @Override
    public void afterCompletion(int status) {
        this.locks.values().forEach(BoundLock::end);
        this.leases.forEach(BoundLease::end);
        this.locks.clear();
    }
}
