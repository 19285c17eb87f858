package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction that was running in the thread already when a lock was taken. */
public final class EnclosingTransaction {

    private static final boolean SUPPORTED = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            EnclosingTransaction.class.getClassLoader());

    /** A nested hold that asks for less than is left changes nothing, and costs nothing. */
    private static final Duration NOTHING_MORE = Duration.ofMillis(1);

    private EnclosingTransaction() {}

    /** Whether there is one that says when it ends. */
    public static boolean isActive() {
        return SUPPORTED && Synchronizations.areActive();
    }

    /**
     * Keeps a lock that the current thread holds until the transaction has committed or rolled back: released before, it
     * would let the next owner in to data that is not visible yet.
     *
     * @param lockName its name
     * @param lease its lease
     * @param guarded whether the transaction must not commit without it
     * @param names how messages name locks
     */
    public static void keep(LockRegistry registry, String lockName, Lease lease, boolean guarded, LoggedNames names) {
        KeptLocks kept = Synchronizations.keptLocks();
        if (!kept.contains(lockName)) {
            LeaseLock lock = registry.getLock(lockName);
            // One more hold, and nothing else: how long the lock is renewed stays as it was asked for.
            lock.lock(NOTHING_MORE);
            kept.add(lockName, lock, names);
        }
        if (guarded) {
            kept.guard(lease);
        }
    }

    /** What may be touched with spring-tx only. */
    private static final class Synchronizations {

        static boolean areActive() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static KeptLocks keptLocks() {
            for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
                if (present instanceof KeptLocks kept) {
                    return kept;
                }
            }
            KeptLocks kept = new KeptLocks();
            TransactionSynchronizationManager.registerSynchronization(kept);
            return kept;
        }
    }
}
