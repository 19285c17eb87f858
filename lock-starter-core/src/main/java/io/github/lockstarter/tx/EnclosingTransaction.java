package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.named.RequestDefaults;
import org.jspecify.annotations.Nullable;
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
     * Returns whether the transaction of this thread may have changes that are not committed yet. Expensive: callbacks
     * after a commit run before the transaction is cleared, and only the stack shows that.
     */
    static boolean mayStillWrite() {
        return !Synchronizations.areReadOnly()
                && StackWalker.getInstance()
                        .walk(frames ->
                                frames.noneMatch(frame -> frame.getMethodName().equals("invokeAfterCommit")));
    }

    /**
     * Returns a body that first lets the running transaction hold the lock of the current thread until it has committed
     * or rolled back, if the request wants that. If the lock were released before, the next owner could not see the
     * changes of the transaction. Without a transaction, returns the body itself.
     *
     * @param registry the registry that grants the lock
     * @param request the lock that the body runs under
     */
    public static <T extends @Nullable Object, E extends Throwable> LockedCallback<T, E> holding(
            LockRegistry registry, LockRequest request, RequestDefaults defaults, LockedCallback<T, E> body) {
        if (!Boolean.TRUE.equals(request.releaseAfterTransaction()) || !isActive()) {
            return body;
        }
        return lease -> {
            try {
                Synchronizations.boundLocks().hold(registry, request, defaults);
            } catch (LockLostException ex) {
                if (defaults.isGuarded(request)) {
                    throw ex;
                }
            }
            return body.run(lease);
        };
    }

    /**
     * Returns a lease that the running transaction holds until it has completed, if the request wants that; otherwise
     * the lease itself.
     */
    public static Lease holding(Lease lease, LockRequest request, RequestDefaults defaults) {
        return Boolean.TRUE.equals(request.releaseAfterTransaction()) && isActive()
                ? Synchronizations.boundLocks().hold(lease, request, defaults.isGuarded(request))
                : lease;
    }

    /** This separate class is loaded only if spring-tx is present. */
    private static final class Synchronizations {

        static boolean areActive() {
            return TransactionSynchronizationManager.isActualTransactionActive()
                    && TransactionSynchronizationManager.isSynchronizationActive();
        }

        static boolean areReadOnly() {
            return TransactionSynchronizationManager.isCurrentTransactionReadOnly();
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
