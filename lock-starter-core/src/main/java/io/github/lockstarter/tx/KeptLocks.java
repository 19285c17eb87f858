package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/** Locks that are released when one transaction has completed, after everything else that waits for that. */
final class KeptLocks implements TransactionSynchronization, Ordered {

    private static final Log logger = LogFactory.getLog(KeptLocks.class);

    private record Kept(LeaseLock lock, Lease lease, boolean guarded) {}

    private final Map<String, Kept> locks = new LinkedHashMap<>();

    boolean contains(String lockName) {
        return this.locks.containsKey(lockName);
    }

    void add(String lockName, LeaseLock lock, Lease lease, boolean guarded) {
        this.locks.put(lockName, new Kept(lock, lease, guarded));
        if (guarded) {
            GuardedLeases.add(lease);
        }
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /** For a transaction manager that is no bean, and so knows no {@link CommitGuard}. */
    @Override
    public void beforeCommit(boolean readOnly) {
        GuardedLeases.ensureHeld();
    }

    @Override
    public void afterCompletion(int status) {
        this.locks.forEach((lockName, kept) -> {
            if (kept.guarded()) {
                GuardedLeases.remove(kept.lease());
            }
            unlock(lockName, kept.lock());
        });
        this.locks.clear();
    }

    private static void unlock(String lockName, LeaseLock lock) {
        try {
            lock.unlock();
        } catch (LockLostException ex) {
            logger.debug("Told already, when it was lost.", ex);
        } catch (RuntimeException ex) {
            logger.warn(
                    "Lock '" + lockName + "' was kept until a transaction had completed, and could not be released"
                            + " then: " + ex.getMessage(),
                    ex);
        }
    }
}
