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

/** Locks that are released when one transaction has completed, after everything else that waits for that. */
final class KeptLocks implements TransactionSynchronization, Ordered {

    private static final LockLog logger = LockLog.of(KeptLocks.class);

    private final Map<String, KeptLock> locks = new LinkedHashMap<>();

    private final Set<Lease> guarded = new HashSet<>();

    /** One of them, and how messages of its application name it. */
    private record KeptLock(LeaseLock lock, LoggedNames names) {}

    boolean contains(String lockName) {
        return this.locks.containsKey(lockName);
    }

    void add(String lockName, LeaseLock lock, LoggedNames names) {
        this.locks.put(lockName, new KeptLock(lock, names));
    }

    /** The transaction must not commit without that one; a later call may ask for it when the first did not. */
    void guard(Lease lease) {
        if (this.guarded.add(lease)) {
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
        this.guarded.forEach(GuardedLeases::remove);
        this.guarded.clear();
        this.locks.forEach(KeptLocks::unlock);
        this.locks.clear();
    }

    /**
     * Ends the hold without waiting for the store: the thread still has the transaction's connection, and a store that is
     * silent must not keep it from the pool.
     */
    private static void unlock(String lockName, KeptLock kept) {
        LeaseLock lock = kept.lock();
        try {
            if (lock.getHoldCount() == 1) {
                CompletionStage<Boolean> unused = lock.currentLease().releaseAsync();
            }
            lock.unlock();
        } catch (LockLostException ex) {
            logger.debug("Told already, when it was lost.", ex);
        } catch (RuntimeException ex) {
            logger.warn(
                    "Lock '" + kept.names().of(lockName)
                            + "' was kept until a transaction had completed, and could not be released" + " then: "
                            + ex.getMessage(),
                    ex);
        }
    }
}
