package io.github.lockstarter.registry;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockQueueFullException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.engine.Wait;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Owner;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Refusal.Cause;
import io.github.lockstarter.registry.AcquireObserver.Acquiring;
import io.github.lockstarter.store.GrantKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reports waits that have ended without a grant, to observers and as exceptions for callers. The exceptions name the
 * holder of the lock.
 */
final class AcquireReports {

    private final Engine engine;

    private final LockEvents events;

    private final Instances instances;

    AcquireReports(Engine engine, LockEvents events, Instances instances) {
        this.engine = engine;
        this.events = events;
        this.instances = instances;
    }

    /**
     * The holders of a lock, as far as they are known without I/O.
     *
     * @param holder one of the holders, or {@code null} if none is known
     * @param text continuation of messages after the name of the lock
     */
    private record Found(@Nullable LockHolder holder, String text) {}

    /** Notifies the observer of an acquisition that has ended without a grant. */
    void notify(Acquiring observed, Wait wait, Refusal refusal) {
        if (observed == Acquiring.UNOBSERVED) {
            return;
        }
        observed.notGranted(
                wait.outcome(refusal),
                this.events.failure(wait, refusal),
                refusal.isNotGranted() ? find(wait, refusal).holder() : null);
    }

    /**
     * Creates the exception for the caller. If the last attempt has failed, this is the failure of the store, because
     * it is then unknown whether the lock is held.
     */
    LockException exception(Wait wait, Refusal refusal) {
        Duration waited = this.events.waited(wait);
        LockException failure = this.events.failure(wait, refusal);
        if (failure instanceof LockStoreException cause) {
            return new LockStoreException(
                    cause.getMessage() + effort(wait, waited), cause, cause.isOutcomeUnknown(), cause.isTransient());
        }
        if (failure != null) {
            return failure;
        }
        Found found = find(wait, refusal);
        boolean isForPermits = wait.kind.mode() == LockMode.PERMIT;
        String lock = (isForPermits ? "Semaphore '" : "Lock '") + this.events.shownName(wait) + "' ";
        if (refusal.cause() == Cause.QUEUE_FULL) {
            return queueFull(wait, lock, waited, found);
        }
        String message = lock + found.text() + '.'
                + effort(wait, waited) + " Wait longer, or hold " + (isForPermits ? "permits" : "it")
                + " for a shorter time." + ownLease(wait, found.holder());
        return notGranted(wait, message, waited, found.holder());
    }

    private LockQueueFullException queueFull(Wait wait, String lock, Duration waited, Found found) {
        return new LockQueueFullException(
                lock + "has too many waiters in this instance: at most " + this.engine.maxWaiters(wait.request)
                        + " may wait (maxWaiters)." + (found.holder() != null ? " It " + found.text() + '.' : "")
                        + " Let fewer callers use it at the same time, hold it for a shorter time, or raise the limit.",
                wait.request.lockName(),
                waited,
                LeaseTerms.duration(wait.waitTime),
                found.holder());
    }

    /** Creates the exception for a lock that was granted but could not be delivered. */
    LockNotGrantedException undelivered(Wait wait) {
        return notGranted(
                wait,
                "Lock '" + this.events.shownName(wait)
                        + "' was granted, but its future could not be completed within the wait: all "
                        + RunThreads.GRANT_STAGES
                        + " threads for that are blocked by dependent stages of other grants. Use an"
                        + " executor of your own for stages that block (thenApplyAsync(function, executor)).",
                this.events.waited(wait),
                null);
    }

    private static LockNotGrantedException notGranted(
            Wait wait, String message, Duration waited, @Nullable LockHolder holder) {
        return new LockNotGrantedException(
                message, wait.request.lockName(), waited, LeaseTerms.duration(wait.waitTime), holder);
    }

    private static String effort(Wait wait, Duration waited) {
        return wait.waitTime == 0 ? " Tried once." : " Gave up after " + waited.toMillis() + " ms.";
    }

    /**
     * Returns a hint that the owner may be the caller itself, because a lease that belongs to no thread is not
     * reentrant.
     */
    private String ownLease(Wait wait, @Nullable LockHolder holder) {
        boolean isPossible = holder == null || this.instances.isOwn(holder);
        return isPossible && wait.owner == Owner.NONE ? " The owner may also be another lease of the caller." : "";
    }

    // ---- Holders

    private Found find(Wait wait, Refusal refusal) {
        LockRequest request = wait.request;
        @Nullable Grant[] held = new Grant[1];
        this.engine.forEachGrant(request.lockName(), grant -> held[0] = grant);
        Grant own = held[0];
        if (own != null && !own.kind().isShared()) {
            String thread = ThreadHolds.threadName(own);
            return new Found(
                    this.instances.own(),
                    "is held by this instance" + (thread != null ? ", thread '" + thread + "'" : ""));
        }
        String owner = refusal.owner();
        if (owner == null) {
            return undescribed(request, own != null);
        }
        LockHolder holder = this.instances.of(owner);
        return new Found(
                holder,
                refusal.used() == 0
                        ? "is held by " + text(holder)
                        : sharedText(request, refusal.used(), GrantKind.of(owner), holder));
    }

    private Found undescribed(LockRequest request, boolean isHeldHere) {
        LockHolder holder = isHeldHere ? this.instances.own() : null;
        if (request.mode() == LockMode.PERMIT) {
            String refused = "did not grant " + request.weight() + " of " + request.permits() + " permits, which ";
            return new Found(
                    holder,
                    refused + (isHeldHere ? "this instance and perhaps others hold" : "others hold or wait for"));
        }
        return new Found(
                holder, isHeldHere ? "is held by readers, one of them this instance" : "is held by another owner");
    }

    private String sharedText(LockRequest request, int used, GrantKind kind, LockHolder holder) {
        String text;
        boolean fits;
        if (kind.mode() == LockMode.PERMIT) {
            text = "has " + used + " of " + request.permits() + " permits in use"
                    + (kind.weight() == used ? " by " : ", one of the holders is ") + text(holder);
            fits = request.weight() <= request.permits() - used;
        } else {
            text = "is held by " + (used == 1 ? "a reader, " : used + " readers, one of them ") + text(holder);
            fits = request.mode() == LockMode.READ;
        }
        // The request is compatible with these holders and would be granted if it were the first in line.
        return fits ? text + ", and earlier requests wait" : text;
    }

    private String text(LockHolder holder) {
        if (this.instances.isOwn(holder)) {
            return "this instance";
        }
        return (holder.application() == null ? "instance " : "") + holder;
    }
}
