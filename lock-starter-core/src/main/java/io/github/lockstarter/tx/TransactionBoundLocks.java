package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The locks that one transaction holds until it has completed. They are released after all other synchronizations. Used
 * by the thread of the transaction.
 */
final class TransactionBoundLocks implements TransactionSynchronization, Ordered {

    private static final LockLog logger = LockLog.of(TransactionBoundLocks.class);

    private final Map<String, BoundLock> locks = new LinkedHashMap<>();

    private final Set<Lease> guarded = new HashSet<>();

    /** A lock, and how messages name it. */
    private record BoundLock(LeaseLock lock, LoggedNames names) {}

    boolean contains(String lockName) {
        return this.locks.containsKey(lockName);
    }

    void add(String lockName, LeaseLock lock, LoggedNames names) {
        this.locks.put(lockName, new BoundLock(lock, names));
    }

    /**
     * Prevents the commit if the lease is lost. A later call may request this for a lock that the transaction holds.
     */
    void guard(Lease lease) {
        if (this.guarded.add(lease)) {
            GuardedLeases.add(lease);
        }
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
        this.guarded.forEach(GuardedLeases::remove);
        this.guarded.clear();
        this.locks.forEach(TransactionBoundLocks::unlock);
        this.locks.clear();
    }

    /**
     * Ends the hold without waiting for the store: the thread still has the transaction's connection, which must return
     * to the pool even if the store does not answer.
     */
    private static void unlock(String lockName, BoundLock bound) {
        LeaseLock lock = bound.lock();
        try {
            if (lock.getHoldCount() == 1) {
                CompletionStage<Boolean> unused = lock.currentLease().releaseAsync();
            }
            lock.unlock();
        } catch (LockLostException ex) {
            logger.debug("The loss was reported when it happened.", ex);
        } catch (RuntimeException ex) {
            logger.warn(
                    "Lock '" + bound.names().of(lockName)
                            + "' was held until the end of a transaction and could not be released: "
                            + ex.getMessage(),
                    ex);
        }
    }
}
