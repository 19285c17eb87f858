package io.github.lockstarter.tx;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks that one transaction holds until it has completed. They are released after all other synchronizations, such
 * as listeners of events, whatever the order of registration: Spring calls synchronizations of the last order as they
 * were registered, so that another one is registered for the release, before the completion and once more after the
 * commit. Used by the thread of the transaction.
 */
final class TransactionBoundLocks implements TransactionSynchronization, Ordered {

    /** Requested by a nested hold that must not extend the lease. */
    private static final Duration MIN_LEASE = Duration.ofMillis(1);

    private static final LockLog logger = LockLog.of(TransactionBoundLocks.class);

    /** The locks by name and mode. */
    private final Map<Map.Entry<String, LockMode>, BoundLock> locks = new LinkedHashMap<>();

    private final List<BoundLease> leases = new ArrayList<>(1);

    /** The last synchronization of the transaction, as far as is known, which releases the locks. */
    private TransactionSynchronization last = this;

    /**
     * Holds a lock of the current thread, once for each mode. The hold of a writer counts as the hold of a reader as
     * well.
     */
    void hold(LockRegistry registry, LockRequest request, RequestDefaults defaults) {
        Map.Entry<String, LockMode> key = Map.entry(request.lockName(), request.mode());
        BoundLock bound = this.locks.get(key);
        if (bound == null && request.mode() == LockMode.READ) {
            bound = this.locks.get(Map.entry(request.lockName(), LockMode.WRITE));
        }
        if (bound == null) {
            bound = new BoundLock(registry, request, defaults);
            // Adds a hold but does not change until when the lease is renewed.
            bound.lock.lock(MIN_LEASE);
            this.locks.put(key, bound);
        }
        if (defaults.isGuarded(request)) {
            bound.guard();
        }
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

    /** Follows all that were registered in the transaction. */
    @Override
    public void beforeCompletion() {
        moveToEnd();
    }

    /** Follows all that were registered during the commit. */
    @Override
    public void afterCommit() {
        moveToEndFrom(this);
    }

    @Override
    public void afterCompletion(int status) {
        releaseFrom(this);
    }

    private void moveToEndFrom(TransactionSynchronization current) {
        if (current == this.last) {
            moveToEnd();
        }
    }

    private void moveToEnd() {
        this.last = new TransactionSynchronization() {

            @Override
            public void afterCommit() {
                moveToEndFrom(this);
            }

            @Override
            public void afterCompletion(int status) {
                releaseFrom(this);
            }
        };
        TransactionSynchronizationManager.registerSynchronization(this.last);
    }

    private void releaseFrom(TransactionSynchronization current) {
        if (current != this.last) {
            return;
        }
        this.locks.values().forEach(BoundLock::end);
        this.leases.forEach(BoundLease::end);
        this.locks.clear();
    }

    /** A hold of a lock, in one mode, that the transaction keeps. */
    private static final class BoundLock {

        final LeaseLock lock;

        private final LockRegistry registry;

        private final LockRequest request;

        private final RequestDefaults defaults;

        private boolean guarded;

        BoundLock(LockRegistry registry, LockRequest request, RequestDefaults defaults) {
            this.registry = registry;
            this.request = request;
            this.lock = registry.getOwnedLock(request);
            this.defaults = defaults;
        }

        /**
         * Prevents the commit if the lease is lost. A later call may request this for a lock that the transaction
         * holds.
         */
        void guard() {
            if (!this.guarded) {
                this.guarded = true;
                // Not the lease itself: the end of a writer around this hold of a reader replaces it.
                GuardedLeases.add(this.lock);
            }
        }

        /**
         * Ends the hold without waiting for the store: the thread still has the transaction's connection, which must
         * return to the pool even if the store does not answer.
         */
        void end() {
            GuardedLeases.remove(this.lock);
            try {
                if (HoldCounts.areAll(this.registry, this.request, mode -> mode == this.request.mode() ? 1 : 0)) {
                    CompletionStage<Boolean> unused = this.lock.currentLease().releaseAsync();
                }
                this.lock.unlock();
            } catch (LockLostException ex) {
                logger.debug("The loss was reported when it happened.", ex);
            } catch (RuntimeException ex) {
                logger.warn(
                        "Lock '" + this.defaults.names().of(this.request.lockName())
                                + "' was held until the end of a transaction and could not be released: "
                                + ex.getMessage(),
                        ex);
            }
        }
    }
}
