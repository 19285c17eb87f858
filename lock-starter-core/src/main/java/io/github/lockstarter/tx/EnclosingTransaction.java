package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction of the current thread that was active before a lock was acquired. */
public final class EnclosingTransaction {

    private static final boolean SUPPORTED = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            EnclosingTransaction.class.getClassLoader());

    /** Requested by a nested hold that must not extend the lease. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

    private EnclosingTransaction() {}

    /** Returns whether there is a transaction that reports its completion; always false without spring-tx. */
    public static boolean isActive() {
        return SUPPORTED && Synchronizations.areActive();
    }

    /**
     * Holds a lock of the current thread until the transaction has committed or rolled back. If it were released
     * before, the next owner could not see the changes of the transaction.
     *
     * @param registry the registry that granted the lock
     * @param lockName its full name
     * @param lease its lease
     * @param guarded whether the loss of the lease prevents the commit
     * @param names how messages name locks
     */
    public static void holdUntilCompletion(
            LockRegistry registry, String lockName, Lease lease, boolean guarded, LoggedNames names) {
        TransactionBoundLocks bound = Synchronizations.boundLocks();
        if (!bound.contains(lockName)) {
            LeaseLock lock = registry.getLock(lockName);
            // Adds a hold but does not change until when the lease is renewed.
            lock.lock(SHORTEST_LEASE);
            bound.add(lockName, lock, names);
        }
        if (guarded) {
            bound.guard(lease);
        }
    }

    /** A class of its own, which is loaded only if spring-tx is present. */
    private static final class Synchronizations {

        static boolean areActive() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static TransactionBoundLocks boundLocks() {
            for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
                if (present instanceof TransactionBoundLocks bound) {
                    return bound;
                }
            }
            TransactionBoundLocks bound = new TransactionBoundLocks();
            TransactionSynchronizationManager.registerSynchronization(bound);
            return bound;
        }
    }
}
