package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.acquire.AcquireObserver.Acquiring;
import io.github.lockstarter.lease.acquire.HolderChecks.HolderCheck;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.InterruptShield;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for a grant on the calling thread: first in the queue of this JVM, then for the store. */
public final class BlockingAcquirer {

    private final QueueEntrance entrance;

    private final Attempts attempts;

    private final HolderChecks checks;

    private final AcquireReports reports;

    private final AcquireObserver observer;

    public BlockingAcquirer(
            QueueEntrance entrance,
            Attempts attempts,
            HolderChecks checks,
            AcquireReports reports,
            AcquireObserver observer) {
        this.entrance = entrance;
        this.attempts = attempts;
        this.checks = checks;
        this.reports = reports;
        this.observer = observer;
    }

    /**
     * Acquires the lock.
     *
     * @param shield defers interrupts during the whole call; null: an interrupt ends it
     * @return null if the lock was held by another owner until the end of the wait, or if the last attempt failed, which
     *     {@link Acquisition#failure()} then shows
     * @throws LockException if the registry has stopped or an attempt failed unexpectedly
     */
    public @Nullable Grant acquire(Acquisition acquisition, @Nullable InterruptShield shield)
            throws InterruptedException {
        Acquiring observed = this.observer.began(acquisition.request(), this.reports.instance());
        observed.enter();
        QueueNode<Grant> node = null;
        Grant grant = null;
        Outcome outcome = Outcome.TIMEOUT;
        Throwable cause = null;
        try {
            node = this.entrance.enter(acquisition);
            this.reports.ensureAccepting(acquisition);
            if (awaitCall(acquisition, node, shield)) {
                grant = node.awaitCall();
                if (grant == null) {
                    grant = poll(acquisition, node, shield);
                }
            }
            return grant;
        } catch (InterruptedException ex) {
            outcome = Outcome.INTERRUPTED;
            this.reports.report(acquisition, outcome, null);
            throw ex;
        } catch (LockException ex) {
            outcome = Outcome.ERROR;
            cause = ex;
            this.reports.report(acquisition, outcome, ex);
            throw ex;
        } catch (RuntimeException | Error ex) {
            outcome = Outcome.ERROR;
            cause = ex;
            throw ex;
        } finally {
            try {
                leave(acquisition, node, grant);
            } finally {
                observed.leave();
                end(observed, acquisition, grant, outcome, cause);
            }
        }
    }

    private void leave(Acquisition acquisition, @Nullable QueueNode<Grant> node, @Nullable Grant grant) {
        if (node != null && grant == null) {
            giveUp(acquisition, node);
        } else if (node != null) {
            node.settle();
        }
        // Last: a registry that stops waits for those that wait, and cleans up nothing after that.
        this.reports.endWaiting(acquisition);
    }

    private void end(
            Acquiring observed,
            Acquisition acquisition,
            @Nullable Grant grant,
            Outcome outcome,
            @Nullable Throwable cause) {
        LockStoreException failure = acquisition.failure();
        if (grant != null) {
            observed.granted(grant.fencingToken());
        } else if (outcome == Outcome.TIMEOUT && failure != null) {
            observed.notGranted(Outcome.ERROR, failure, null);
        } else if (observed != Acquiring.UNOBSERVED) {
            LockHolder holder = outcome == Outcome.TIMEOUT ? this.reports.holder(acquisition) : null;
            observed.notGranted(outcome, cause, holder);
        }
    }

    /** Waits for the call; returns false if the wait is over without one. */
    private boolean awaitCall(Acquisition acquisition, QueueNode<Grant> node, @Nullable InterruptShield shield)
            throws InterruptedException {
        if (shield == null && Thread.interrupted()) {
            throw new InterruptedException();
        }
        boolean called = node.isDone();
        while (!called && acquisition.remaining() > 0) {
            this.reports.beginWaiting(acquisition);
            try {
                node.get(acquisition.remaining(), TimeUnit.NANOSECONDS);
                called = true;
            } catch (InterruptedException ex) {
                rethrowUnlessShielded(ex, shield);
            } catch (TimeoutException ex) {
                break;
            } catch (ExecutionException ex) {
                this.reports.ensureAccepting(acquisition);
                return false;
            }
        }
        if (called || !this.entrance.withdraw(node)) {
            // Called at the moment at which the time was up: then it is in time.
            return true;
        }
        // Only after that: a call that does not wait must not be served while it asks.
        acquisition.verified(whyNotRefused(node, shield));
        return false;
    }

    /** Returns why the store cannot tell whether the lock is held; null if it is held, or was a moment ago. */
    private @Nullable LockStoreException whyNotRefused(QueueNode<Grant> node, @Nullable InterruptShield shield)
            throws InterruptedException {
        while (true) {
            HolderCheck check = this.checks.of(node);
            if (check.isHeldHere()) {
                return null;
            }
            check.ask();
            if (check.failure() == null || !wasInterrupted(shield)) {
                return check.failure();
            }
        }
    }

    /** Returns whether an interrupt may be the reason for a missing reply; ends the wait unless it is shielded. */
    private static boolean wasInterrupted(@Nullable InterruptShield shield) throws InterruptedException {
        if (shield != null) {
            return shield.caught();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return false;
    }

    private static void rethrowUnlessShielded(InterruptedException ex, @Nullable InterruptShield shield)
            throws InterruptedException {
        if (shield == null) {
            throw ex;
        }
        shield.noteInterrupt();
    }

    /** Leaves as if the call had never been made. A grant that was handed over at this moment goes to the next waiter. */
    private void giveUp(Acquisition acquisition, QueueNode<Grant> node) {
        if (!node.isDone() && this.entrance.withdraw(node)) {
            return;
        }
        Grant handedOver = node.awaitCall();
        if (handedOver != null) {
            this.entrance.passOn(node, handedOver);
            return;
        }
        // Leaves the store's line before the caller gets the result: until then the lock can be granted to the ticket,
        // and
        // attempts of others are refused although the lock is free. A store that has just failed is not awaited.
        LineTicket ticket = node.ticket();
        boolean answers = ticket != null && ticket.unansweredMillis() == 0 && ticket.failure() == null;
        CompletionStage<?> left = this.entrance.passOn(node);
        if (answers) {
            InterruptShield.await(left, Duration.ofNanos(acquisition.grace()));
        }
    }

    private @Nullable Grant poll(Acquisition acquisition, QueueNode<Grant> node, @Nullable InterruptShield shield)
            throws InterruptedException {
        Semaphore wake = new Semaphore(0);
        node.onWake(wake::release);
        boolean waitFirst = acquisition.mayWaitFirst(node);
        while (true) {
            if (!waitFirst) {
                Grant grant = this.attempts.now(acquisition, node);
                if (grant != null) {
                    return grant;
                }
            }
            waitFirst = false;
            if (wasInterrupted(shield)) {
                // Asks again, under the same id.
                continue;
            }
            if (acquisition.isHopeless() || acquisition.remaining() <= 0) {
                return null;
            }
            this.reports.beginWaiting(acquisition);
            this.attempts.prepareWaiting();
            try {
                wake.tryAcquire(Math.max(0, acquisition.pause()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException ex) {
                rethrowUnlessShielded(ex, shield);
            }
            wake.drainPermits();
        }
    }
}
