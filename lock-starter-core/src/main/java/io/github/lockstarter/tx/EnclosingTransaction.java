package io.github.lockstarter.tx;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LoggedNames;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction of the current thread that was active before a lock was acquired. */
public final class EnclosingTransaction {

    private static final boolean SUPPORTED = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            EnclosingTransaction.class.getClassLoader());

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
     * @param request names the lock and its mode
     * @param guarded whether the loss of the lease prevents the commit
     * @param names how messages name locks
     */
    public static void holdUntilCompletion(
            LockRegistry registry, LockRequest request, boolean guarded, LoggedNames names) {
        BoundLock bound = Synchronizations.boundLocks().hold(registry, request, names);
        if (guarded) {
            bound.guard();
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
