package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.lease.acquire.Attempts.Attempt;
import io.github.lockstarter.lease.acquire.HolderChecks.HolderCheck;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.release.OrphanCleanup;
import io.github.lockstarter.lease.support.LockThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a grant without a thread: the call, the timers, messages and replies each cause a check, and the checks of one
 * waiter run one after the other on the I/O threads. No check waits for the store if the store can answer later: otherwise
 * the waiters for a silent shard would take the threads from all others.
 *
 * <p>The wait does not end at the deadline itself: as in {@link BlockingAcquirer}, an attempt in progress, or else a last
 * one, decides whether the lock is refused. The store has one command timeout to answer it.
 */
final class AsyncWait {

    /** Time after which the wait checks again for a grant that is on its way to a thread. */
    private static final long RECHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Acquisition acquisition;

    private final AsyncResult result;

    private final QueueEntrance entrance;

    private final Attempts attempts;

    private final HolderChecks holders;

    private final AcquireReports reports;

    private final QueueNode<Grant> node;

    private final WaitTimers timers;

    private final SerialChecks checks;

    /** Set by whatever ends the wait first; a grant that comes later is given back. */
    private final AtomicBoolean over = new AtomicBoolean();

    /** The attempt that is not concluded; used by checks only, like the fields below. */
    private @Nullable Attempt attempt;

    private @Nullable HolderCheck holderCheck;

    /** Completed when the line has been left; null before the end. */
    private @Nullable CompletionStage<?> left;

    AsyncWait(
            Acquisition acquisition,
            AsyncResult result,
            QueueEntrance entrance,
            Attempts attempts,
            HolderChecks holders,
            AcquireReports reports,
            LockThreads threads) {
        this.acquisition = acquisition;
        this.result = result;
        this.entrance = entrance;
        this.attempts = attempts;
        this.holders = holders;
        this.reports = reports;
        this.timers = new WaitTimers(threads);
        this.checks = new SerialChecks(threads, this::checkSafely);
        reports.beginWaiting(acquisition);
        this.node = entrance.enter(acquisition);
    }

    /** Starts the wait; {@code onEnd} runs when the future is completed in any way. */
    CompletableFuture<Lease> start(Runnable onEnd) {
        this.node.onWake(this::check);
        // Before anything can end the wait: a waiter that is called at that moment must notice, to pass on the call.
        CompletableFuture<?> unused = this.node.whenComplete((mine, failure) -> check());
        CompletableFuture<?> unusedToo = this.result.future().whenComplete((lease, failure) -> {
            onEnd.run();
            this.timers.cancelAll();
            // Cancelled or completed by the caller: leaves the queue.
            if (this.over.compareAndSet(false, true)) {
                this.result.abandoned();
                check();
            }
        });
        if (this.reports.isStopping()) {
            refuse();
        } else if (!this.acquisition.deadline().isNever()) {
            this.timers.atDeadline(this::deadlinePassed, this.acquisition.remaining());
        }
        return this.result.future();
    }

    /** At the deadline: the next check refuses, or asks for the last time. */
    private void deadlinePassed() {
        this.timers.atTimeout(this::timeOut, this.acquisition.grace());
        check();
    }

    /** One command timeout later: there was no reply, the line was not left, or the grant was not delivered. */
    private void timeOut() {
        if (this.over.compareAndSet(false, true)) {
            endNow(this.reports.silent(this.acquisition, this.node));
        } else if (!this.result.deliverAtLast()) {
            this.timers.atTimeout(this::timeOut, RECHECK_NANOS);
        }
    }

    /** Ends the wait because the registry stops and checks no longer run. */
    void refuse() {
        if (this.over.compareAndSet(false, true)) {
            endNow(this.reports.failed(this.acquisition, this.reports.stopped(this.acquisition)));
        }
    }

    /** Ends the wait on any thread: the thread that runs checks may hang in the store. */
    private void endNow(RuntimeException why) {
        this.result.failed(why);
        if (!this.node.isDone()) {
            boolean unused = this.entrance.withdraw(this.node);
        }
        this.result.deliverFailure();
        check();
    }

    private void check() {
        if (!this.checks.request()) {
            // The I/O threads have ended, so that this is the last check.
            refuse();
            CompletionStage<?> unused = leave();
            this.result.deliverFailure();
        }
    }

    private void checkSafely() {
        try {
            checkOnce();
        } catch (LockException ex) {
            fail(ex);
        } catch (RuntimeException | Error ex) {
            fail(this.reports.unexpected(this.acquisition, ex));
        }
    }

    private void checkOnce() {
        Attempt asked = this.attempt;
        if (asked != null && !asked.isAnswered()) {
            // The reply causes the next check.
            return;
        }
        this.attempt = null;
        Grant grant = asked != null ? asked.end() : null;
        if (grant == null && this.over.get()) {
            end();
        } else if (grant == null && asked == null) {
            checkCall();
        } else {
            conclude(grant);
        }
    }

    /** Asks the store, if this waiter is the first of the queue and has no reply to conclude. */
    private void checkCall() {
        this.reports.ensureAccepting(this.acquisition);
        HolderCheck refusal = this.holderCheck;
        if (refusal != null) {
            refuse(refusal);
        } else if (!this.node.isDone()) {
            if (this.acquisition.remaining() <= 0) {
                withdraw();
            }
        } else {
            Grant handedOver = this.node.awaitCall();
            if (handedOver == null && !this.acquisition.mayWaitFirst(this.node)) {
                this.attempt = this.attempts.later(this.acquisition, this.node, this::check);
            } else {
                conclude(handedOver);
            }
        }
    }

    /** Ends a wait in the local queue; if it is too late for that, the call causes the next check. */
    private void withdraw() {
        // Before the check: a call that does not wait must not be served while it asks.
        if (this.entrance.withdraw(this.node)) {
            HolderCheck refusal = this.holders.of(this.node);
            this.holderCheck = refusal;
            if (refusal.isHeldHere()) {
                giveUp();
            } else {
                refusal.askLater(this::check);
            }
        }
    }

    private void refuse(HolderCheck refusal) {
        if (refusal.isAnswered()) {
            this.acquisition.verified(refusal.failure());
            giveUp();
        }
    }

    private void conclude(@Nullable Grant grant) {
        if (grant != null) {
            granted(grant);
        } else if (this.acquisition.isHopeless() || this.acquisition.remaining() <= 0) {
            giveUp();
        } else {
            checkLater();
        }
    }

    private void checkLater() {
        this.attempts.prepareWaiting();
        // A message that arrived during the attempt may be newer than its reply.
        LineTicket ticket = this.node.ticket();
        long pause = ticket != null && ticket.isNoticed() ? 0 : this.acquisition.pause();
        this.timers.check(this::check, pause);
    }

    private void granted(Grant grant) {
        boolean wanted = this.over.compareAndSet(false, true);
        this.left = OrphanCleanup.NOTHING_TO_AWAIT;
        forget();
        this.node.settle();
        this.reports.endWaiting(this.acquisition);
        if (wanted) {
            this.result.granted(grant);
        } else {
            CompletionStage<?> unused = this.entrance.giveBack(this.node, grant);
        }
    }

    private void giveUp() {
        if (this.over.compareAndSet(false, true)) {
            this.result.failed(this.reports.gaveUp(this.acquisition));
        }
        end();
    }

    /** Ends the wait with a failure in a check, also if it was over before. */
    private void fail(LockException why) {
        if (this.over.compareAndSet(false, true)) {
            this.result.failed(this.reports.failed(this.acquisition, why));
        }
        end();
    }

    /** Leaves, and reports the failure after that: a caller that tries again must not be delayed by its own ticket. */
    private void end() {
        CompletionStage<?> leaving = leave();
        if (leaving.toCompletableFuture().isDone()) {
            this.result.deliverFailure();
            return;
        }
        // A store that does not answer is not awaited for longer than until the time-out.
        this.timers.atTimeout(this.result::deliverFailure, this.acquisition.grace());
        CompletionStage<?> unused = leaving.whenComplete((answer, failure) -> this.result.deliverFailure());
    }

    /** Leaves as if the call had never been made. A grant that was handed over at this moment goes to the next waiter. */
    private CompletionStage<?> leave() {
        CompletionStage<?> leaving = this.left;
        if (leaving != null) {
            return leaving;
        }
        leaving = OrphanCleanup.NOTHING_TO_AWAIT;
        if (!this.node.isDone() && !this.entrance.withdraw(this.node)) {
            // The call is in progress, and the check that follows it leaves.
            return leaving;
        }
        // Asked last: it may have been called since.
        boolean called = this.node.isDone() && !this.node.isCancelled();
        forget();
        Grant handedOver = called ? this.node.awaitCall() : null;
        if (handedOver != null) {
            leaving = this.entrance.giveBack(this.node, handedOver);
        } else if (called) {
            leaving = this.entrance.passOn(this.node);
        }
        this.left = leaving;
        // Last: a registry that stops waits for all that wait, and cleans up nothing after that.
        this.reports.endWaiting(this.acquisition);
        return leaving;
    }

    private void forget() {
        // The node outlives the wait.
        this.node.onWake(null);
        this.timers.cancelCheck();
    }
}
