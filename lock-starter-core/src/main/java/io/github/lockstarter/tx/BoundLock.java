package io.github.lockstarter.tx;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A hold of a lock, in one mode, that a transaction keeps. Used by the thread of the transaction. */
final class BoundLock {

    private static final LockLog logger = LockLog.of(BoundLock.class);

    /** Requested by a nested hold that must not extend the lease. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

    private final LockRegistry registry;

    private final LockRequest request;

    private final LeaseLock lock;

    private final LoggedNames names;

    private boolean guarded;

    /**
     * Creates the hold, which does not begin before {@link #begin()}.
     *
     * @param registry the registry that granted the lock
     * @param request names the lock and its mode
     * @param names how messages name the lock
     */
    BoundLock(LockRegistry registry, LockRequest request, LoggedNames names) {
        this.registry = registry;
        this.request = request;
        this.lock = registry.getOwnedLock(request);
        this.names = names;
    }

    /** Adds a hold but does not change until when the lease is renewed. */
    void begin() {
        this.lock.lock(SHORTEST_LEASE);
    }

    /**
     * Prevents the commit if the lease is lost. A later call may request this for a lock that the transaction holds.
     */
    void guard() {
        if (!this.guarded) {
            this.guarded = true;
            // Not the lease itself: the end of a writer around this hold of a reader replaces it.
            GuardedLeases.add(this.lock);
        }
    }

    /**
     * Ends the hold without waiting for the store: the thread still has the transaction's connection, which must return
     * to the pool even if the store does not answer.
     */
    void end() {
        if (this.guarded) {
            GuardedLeases.remove(this.lock);
        }
        try {
            if (HoldCounts.areAll(this.registry, this.request, mode -> mode == this.request.mode() ? 1 : 0)) {
                CompletionStage<Boolean> unused = this.lock.currentLease().releaseAsync();
            }
            this.lock.unlock();
        } catch (LockLostException ex) {
            logger.debug("The loss was reported when it happened.", ex);
        } catch (RuntimeException ex) {
            logger.warn(
                    "Lock '" + this.names.of(this.request.lockName())
                            + "' was held until the end of a transaction and could not be released: "
                            + ex.getMessage(),
                    ex);
        }
    }
}
