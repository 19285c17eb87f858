package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.grant.LeaseEvents;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LogQueue;
import io.github.lockstarter.lease.support.StopSignal;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reports waits and their failures: as events, as exceptions for the caller, and in the log. */
public final class AcquireReports {

    private static final LockLog logger = LockLog.of(AcquireReports.class);

    private final LeaseEvents events;

    private final LoggedNames names;

    private final LockHolders holders;

    private final InFlightCounter waiting;

    private final StopSignal stop;

    private final LogQueue log;

    public AcquireReports(
            LeaseEvents events,
            LoggedNames names,
            LockHolders holders,
            InFlightCounter waiting,
            StopSignal stop,
            LogQueue log) {
        this.events = events;
        this.names = names;
        this.holders = holders;
        this.waiting = waiting;
        this.stop = stop;
        this.log = log;
    }

    /** Counts the acquisition as waiting from now on. */
    void beginWaiting(Acquisition acquisition) {
        if (!acquisition.isWaiting()) {
            acquisition.setWaiting(true);
            this.waiting.began();
            this.events.waiting(acquisition.request(), true);
        }
    }

    /** Ends the count. */
    void endWaiting(Acquisition acquisition) {
        if (acquisition.isWaiting()) {
            acquisition.setWaiting(false);
            this.events.waiting(acquisition.request(), false);
            this.waiting.ended();
        }
    }

    /** Returns the id of this instance. */
    String instance() {
        return this.holders.ownInstance();
    }

    /** Returns the instance that holds the lock of a refused acquisition, as far as it is known without I/O; null: unknown. */
    @Nullable
    LockHolder holder(Acquisition acquisition) {
        return this.holders.of(acquisition).holder();
    }

    boolean isStopping() {
        return this.stop.isStopping();
    }

    /** Throws if the registry has been stopped. */
    void ensureAccepting(Acquisition acquisition) {
        if (this.stop.isStopping()) {
            throw stopped(acquisition);
        }
    }

    /** Creates the exception for an acquisition after the stop of the registry. */
    LockException stopped(Acquisition acquisition) {
        return new LockException("Lock '" + shownName(acquisition)
                + "' is not acquired: the lock registry has been stopped, the application is shutting down.");
    }

    /** Notes a failed attempt; logs the first one of a wait without an end, which would otherwise go unnoticed. */
    void attemptFailed(Acquisition acquisition, LockStoreException failure) {
        boolean first = acquisition.failed(failure);
        if (first && acquisition.deadline().isNever() && failure.isTransient()) {
            this.log.add(() ->
                    logger.warn("Lock '" + shownName(acquisition) + "' waits for its store: " + failure.getMessage()));
        }
    }

    /** Notes that the wait ends without a reply to the last attempt, and creates the exception for the caller. */
    LockException silent(Acquisition acquisition, QueueNode<?> node) {
        acquisition.silent(node, shownName(acquisition));
        return gaveUp(acquisition);
    }

    /**
     * Reports the end of a wait without a grant, and creates the exception for the caller: the failure of the store if the
     * last attempt failed, because it is then unknown whether the lock is held.
     */
    public LockException gaveUp(Acquisition acquisition) {
        LockStoreException failure = acquisition.failure();
        Duration waited = acquisition.waited();
        if (failure == null) {
            report(acquisition, Outcome.TIMEOUT, null);
            LockHolders.Found found = this.holders.of(acquisition);
            boolean isForPermits = acquisition.request().mode() == LockMode.PERMIT;
            return notGranted(
                    acquisition,
                    (isForPermits ? "Semaphore '" : "Lock '") + shownName(acquisition) + "' " + found.text() + '.'
                            + effort(acquisition, waited) + " Wait longer, or hold "
                            + (isForPermits ? "permits" : "it") + " for a shorter time."
                            + ownLease(acquisition, found.holder()),
                    waited,
                    found.holder());
        }
        report(acquisition, Outcome.ERROR, failure);
        return new LockStoreException(
                failure.getMessage() + effort(acquisition, waited),
                failure,
                acquisition.isUnanswered(),
                failure.isTransient());
    }

    /** As {@link #gaveUp}, but a lock that is held is a result, not an exception. */
    public void gaveUpTrying(Acquisition acquisition) {
        if (acquisition.failure() != null) {
            throw gaveUp(acquisition);
        }
        report(acquisition, Outcome.TIMEOUT, null);
    }

    /** Creates the exception for a lock that was granted but could not be delivered. */
    LockNotGrantedException undelivered(Acquisition acquisition, int threads) {
        return notGranted(
                acquisition,
                "Lock '" + shownName(acquisition)
                        + "' was granted, but its future could not be completed within the wait: all " + threads
                        + " threads for that are blocked by dependent stages of other grants. Use an executor of your"
                        + " own for stages that block (thenApplyAsync(function, executor)).",
                acquisition.waited(),
                null);
    }

    /** Creates the exception for a grant whose lease has ended before the reply arrived. */
    LockStoreException tooLate(Acquisition acquisition) {
        return new LockStoreException(
                "Lock '" + shownName(acquisition) + "' was granted, but the reply took longer than the lease of "
                        + acquisition.leaseMillis() + " ms allows. Ask for a longer lease.",
                null,
                true,
                true);
    }

    /** Creates the exception for an unexpected failure. */
    LockException unexpected(Acquisition acquisition, Throwable failure) {
        return new LockException("Lock '" + shownName(acquisition) + "' could not be acquired.", failure);
    }

    private static LockNotGrantedException notGranted(
            Acquisition acquisition, String message, Duration waited, @Nullable LockHolder holder) {
        return new LockNotGrantedException(
                message, acquisition.request().lockName(), waited, acquisition.waitTime(), holder);
    }

    /** Publishes a failure and returns it. */
    LockException failed(Acquisition acquisition, LockException failure) {
        report(acquisition, Outcome.ERROR, failure);
        return failure;
    }

    /** Publishes the end of an acquisition without a grant. */
    void report(Acquisition acquisition, Outcome outcome, @Nullable Throwable cause) {
        this.events.notAcquired(acquisition.request(), outcome, acquisition.startedAt(), cause);
    }

    /** A lease that belongs to no thread is not reentrant, so that the owner may be the caller itself. */
    private String ownLease(Acquisition acquisition, @Nullable LockHolder holder) {
        boolean possible = holder == null || holder.instance().equals(instance());
        return possible && acquisition.owner() == null ? " The owner may also be another lease of the caller." : "";
    }

    private static String effort(Acquisition acquisition, Duration waited) {
        return acquisition.deadline().isOnce() ? " Tried once." : " Gave up after " + waited.toMillis() + " ms.";
    }

    /** Returns the name of the lock as it appears in messages. */
    String shownName(Acquisition acquisition) {
        return this.names.of(acquisition.request().lockName());
    }
}
