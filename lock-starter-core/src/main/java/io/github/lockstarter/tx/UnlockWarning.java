package io.github.lockstarter.tx;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Warns of locks that are released while a transaction is running, once for each static name. Thread-safe. */
public final class UnlockWarning {

    private static final LockLog logger = LockLog.of(UnlockWarning.class);

    /** Largest number of names that are reported; static names may be made up at run time. */
    private static final int MOST = 100;

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /** Creates the warning, for one registry. */
    public UnlockWarning() {}

    /**
     * Logs the warning if a transaction that may write is running in this thread, unless the request states when the
     * lock is released. Permits limit how much runs at the same time, and protect no data.
     */
    public void beforeRelease(LockRequest request) {
        if (EnclosingTransaction.isActive()
                && request.releaseAfterTransaction() == null
                && request.mode() != LockMode.PERMIT
                && this.reported.size() < MOST
                && !this.reported.contains(request.name())
                && EnclosingTransaction.mayStillWrite()
                && this.reported.add(request.name())) {
            logger.warn("Lock '" + LoggedNames.ofStatic(request.name())
                    + "' was released while a transaction is running: its next owner can read the data before the changes"
                    + " are committed. Put the lock around the transaction, or use"
                    + " LockRequest.withReleaseAfterTransaction(true); false confirms that the release is intended. Set"
                    + " distributed-lock.warn-on-unlock-in-transaction=false to switch this warning off.");
        }
    }
}
