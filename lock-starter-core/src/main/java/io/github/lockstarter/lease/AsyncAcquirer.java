package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockStoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a grant without a thread: the turn, the timer, the messages and the answers of the store each cause a check,
 * and the checks of one waiter run one after the other on the I/O threads. None of them waits for the store if it can
 * answer later: the waiters for a part of it that is silent would keep the threads from all others.
 *
 * <p>At the deadline the wait is not over yet: as in {@link BlockingAcquirer}, a question that is under way, or else a
 * last one, decides whether the lock is refused. The store has one command timeout to answer it.
 */
final class AsyncAcquirer {

    /** After this time, a grant that was on its way to a thread is looked for again. */
    private static final long ON_ITS_WAY = TimeUnit.MILLISECONDS.toNanos(50);

    private final LockEngine engine;

    private final Acquisition acquisition;

    private final Turn turn;

    private final AsyncResult result;

    private final AtomicInteger checks = new AtomicInteger();

    /** Set by whatever ends the wait first; from then on a grant is of no use and is given back. */
    private final AtomicBoolean over = new AtomicBoolean();

    private final WaitTimers timers;

    /** The question to the store that is not concluded; known to checks only, like the next one. */
    private @Nullable Attempt attempt;

    private @Nullable HolderCheck holderCheck;

    /** Completed when the line has been left; null before the end. */
    private @Nullable CompletionStage<?> left;

    AsyncAcquirer(LockEngine engine, Acquisition acquisition) {
        this.engine = engine;
        this.acquisition = acquisition;
        this.result = new AsyncResult(engine, acquisition);
        this.timers = new WaitTimers(engine.threads());
        this.acquisition.beginWaiting();
        this.turn = engine.queues().enter(acquisition.request().lockName(), acquisition);
    }

    CompletableFuture<Lease> start() {
        this.turn.onWake(this::check);
        // Before anything can end the wait: a waiter that is called at that moment must notice, to pass on the call.
        CompletableFuture<?> unused = this.turn.whenComplete((mine, failure) -> check());
        this.engine.pending().add(this);
        CompletableFuture<?> unusedToo = this.result.future().whenComplete((lease, failure) -> {
            this.engine.pending().remove(this);
            this.timers.cancelAll();
            // Cancelled by the caller, or completed from outside: leaves the queue.
            if (this.over.compareAndSet(false, true)) {
                this.result.abandoned();
                check();
            }
        });
        if (!this.engine.isAccepting()) {
            refuse();
        } else if (!this.acquisition.deadline().isNever()) {
            this.timers.atDeadline(this::timeIsUp, this.acquisition.remaining());
        }
        return this.result.future();
    }

    /** The deadline has come: the next check refuses, or asks for the last time. */
    private void timeIsUp() {
        this.timers.atTimeout(this::timeOut, this.acquisition.grace());
        check();
    }

    /** The last question was not answered, the line could not be left, or the grant could not be delivered. */
    private void timeOut() {
        if (this.over.compareAndSet(false, true)) {
            this.acquisition.silent(this.turn);
            endNow(this.acquisition.giveUp());
        } else if (!this.result.deliverAtLast()) {
            this.timers.atTimeout(this::timeOut, ON_ITS_WAY);
        }
    }

    /** The registry stops: nothing is checked any more. */
    void refuse() {
        if (this.over.compareAndSet(false, true)) {
            endNow(reported(this.acquisition.refusal()));
        }
    }

    private LockException reported(LockException failure) {
        this.acquisition.tell(Outcome.ERROR, failure);
        return failure;
    }

    /** Ends the wait on any thread: the one that runs checks may hang in the store. */
    private void endNow(RuntimeException why) {
        this.result.failed(why);
        if (!this.turn.isDone()) {
            boolean unused = this.engine.queues().withdraw(this.turn);
        }
        this.result.deliverFailure();
        check();
    }

    private void check() {
        if (this.checks.getAndIncrement() == 0 && !this.engine.threads().io(this::checkAll)) {
            // The threads have ended; nothing else checks this one.
            refuse();
            CompletionStage<?> unused = leave();
            this.result.deliverFailure();
        }
    }

    private void checkAll() {
        int seen;
        do {
            seen = this.checks.get();
            try {
                checkOnce();
            } catch (LockException ex) {
                fail(ex);
            } catch (RuntimeException | Error ex) {
                fail(new LockException(
                        "Lock '" + this.engine.names().of(this.turn.lockName()) + "' could not be acquired.", ex));
            }
        } while (this.checks.addAndGet(-seen) != 0);
    }

    private void checkOnce() {
        Attempt asked = this.attempt;
        if (asked != null && !asked.isAnswered()) {
            // The answer causes the next check.
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

    /** Nothing was asked since the last check: asks, if this waiter is the first of the queue. */
    private void checkCall() {
        this.acquisition.ensureAccepting();
        HolderCheck refusal = this.holderCheck;
        if (refusal != null) {
            refuse(refusal);
        } else if (!this.turn.isDone()) {
            if (this.acquisition.remaining() <= 0) {
                withdraw();
            }
        } else {
            Grant handedOver = this.turn.awaitCall();
            if (handedOver == null && !this.acquisition.mayWaitFirst(this.turn)) {
                this.attempt = this.acquisition.attemptLater(this.turn, this::check);
            } else {
                conclude(handedOver);
            }
        }
    }

    /** Ends a wait in the local queue; if it is too late for that, the call causes the next check. */
    private void withdraw() {
        // Before the check: a call that does not wait must not be served while it asks.
        if (this.engine.queues().withdraw(this.turn)) {
            HolderCheck refusal = new HolderCheck(this.engine, this.turn.lockName());
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
            LockStoreException failure = refusal.failure();
            if (failure != null) {
                this.acquisition.unverified(failure);
            }
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
        this.engine.store().prepareWaiting();
        // A message that came while the store was asked may be newer than its answer.
        Place place = this.turn.place();
        long pause = place != null && place.isNoticed() ? 0 : this.acquisition.pause();
        this.timers.check(this::check, pause);
    }

    private void granted(Grant grant) {
        boolean wanted = this.over.compareAndSet(false, true);
        this.left = LockEngine.NOTHING_TO_AWAIT;
        forget();
        this.turn.settle();
        this.acquisition.endWaiting();
        if (wanted) {
            this.result.granted(grant);
        } else {
            this.engine.releaser().giveBack(grant);
        }
    }

    private void giveUp() {
        if (this.over.compareAndSet(false, true)) {
            this.result.failed(this.acquisition.giveUp());
        }
        end();
    }

    /** Ends the wait with a failure in a check, also if it was over before. */
    private void fail(LockException why) {
        if (this.over.compareAndSet(false, true)) {
            this.result.failed(reported(why));
        }
        end();
    }

    /** Leaves, and reports the failure after that: a caller that tries again must not be in its own way. */
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

    /** Leaves as if the call had never been made. A grant that was handed over at this moment goes to the next. */
    private CompletionStage<?> leave() {
        CompletionStage<?> leaving = this.left;
        if (leaving != null) {
            return leaving;
        }
        leaving = LockEngine.NOTHING_TO_AWAIT;
        if (!this.turn.isDone() && !this.engine.queues().withdraw(this.turn)) {
            // The call is under way, and the check that follows it leaves.
            return leaving;
        }
        // Asked last: it may have been called since.
        boolean called = this.turn.isDone() && !this.turn.isCancelled();
        forget();
        Grant handedOver = called ? this.turn.awaitCall() : null;
        if (handedOver != null) {
            this.turn.settle();
            leaving = this.engine.releaser().giveBack(handedOver);
        } else if (called) {
            leaving = this.acquisition.passOn(this.turn);
        }
        this.left = leaving;
        // Last: a registry that stops waits for all that wait, and takes back nothing after that.
        this.acquisition.endWaiting();
        return leaving;
    }

    private void forget() {
        // The turn outlives the wait.
        this.turn.onWake(null);
        this.timers.cancelCheck();
    }
}
