package io.github.lockstarter.lease;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.lease.AcquireObserver.Acquiring;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a grant without a thread: the turn, the timer, the messages and the answers of the store each cause a look,
 * and looks of one waiter run one after the other on the I/O threads. None of them waits for the store if it can answer
 * later: those for a part of it that is silent would keep the threads from all others.
 */
final class AsyncAcquirer {

    private final LockEngine engine;

    private final Acquisition acquisition;

    private final @Nullable Acquiring observed;

    private final Turn turn;

    private final CompletableFuture<Lease> result = new CompletableFuture<>();

    private final AtomicInteger looks = new AtomicInteger();

    /** Set by whoever ends the wait first; from then on a grant is of no use and is given back. */
    private final AtomicBoolean over = new AtomicBoolean();

    private final @Nullable ScheduledFuture<?> timeout;

    private @Nullable ScheduledFuture<?> nextLook;

    /** What the store was asked and is not concluded; known to looks only. */
    private @Nullable Attempt attempt;

    private boolean ended;

    /** What the caller is to hear once the queue is left. */
    private volatile @Nullable RuntimeException failure;

    AsyncAcquirer(LockEngine engine, Acquisition acquisition) {
        this.engine = engine;
        this.acquisition = acquisition;
        AcquireObserver observer = engine.observer();
        this.observed = observer != null ? observer.began(acquisition.request()) : null;
        this.acquisition.beginWaiting();
        this.turn = engine.queues().enter(acquisition.request().lockName(), acquisition);
        this.timeout = acquisition.deadline().isNever()
                ? null
                : engine.threads().later(this::timeOut, acquisition.remaining() + patience());
    }

    /** One attempt may take as long as a command may, its turn on the I/O threads included. */
    private long patience() {
        return this.acquisition.deadline().isOnce()
                ? this.engine.settings().commandTimeout().toNanos()
                : 0;
    }

    CompletableFuture<Lease> start() {
        this.turn.onWake(this::look);
        // Before anything can end the wait: who is called in that moment must notice, to pass on what it is called
        // with.
        CompletableFuture<?> unused = this.turn.whenComplete((mine, failure) -> look());
        if (!this.engine.isAccepting()) {
            refuse();
        } else if (this.acquisition.deadline().isOnce() && !this.turn.isDone()) {
            timeOut();
        }
        // Cancelled by the caller, or completed from outside: leaves the queue.
        this.engine.pending().add(this);
        CompletableFuture<?> unusedToo = this.result.whenComplete((lease, failure) -> {
            this.engine.pending().remove(this);
            if (this.over.compareAndSet(false, true)) {
                this.acquisition.tell(Outcome.INTERRUPTED, null);
                if (this.observed != null) {
                    this.observed.notGranted(Outcome.INTERRUPTED, null);
                }
                look();
            }
        });
        if (!this.engine.isAccepting()) {
            refuse();
        }
        return this.result;
    }

    private void timeOut() {
        fail(this::gaveUp);
    }

    private LockException gaveUp() {
        this.acquisition.consider(this.turn);
        return this.acquisition.giveUp();
    }

    /** The registry stops: nobody will look any more. */
    void refuse() {
        fail(() -> told(this.acquisition.refusal()));
    }

    private LockException told(LockException failure) {
        this.acquisition.tell(Outcome.ERROR, failure);
        return failure;
    }

    /** Ends the wait at its deadline or by a refusal, on whatever thread: the one that looks may hang in the store. */
    private void fail(Supplier<? extends RuntimeException> why) {
        if (this.over.compareAndSet(false, true)) {
            failed(why.get());
            if (!this.turn.isDone()) {
                // Before the caller hears of it: who tries again at once must not find himself in the way.
                boolean unused = this.engine.queues().withdraw(this.turn);
            }
            tellFailure();
            look();
        }
    }

    /** Ends the wait on the thread that looks, which leaves the queue before it tells; also if it was over before. */
    private void failInLook(Supplier<? extends RuntimeException> why) {
        if (this.over.compareAndSet(false, true)) {
            failed(why.get());
        }
        if (!this.ended) {
            this.looks.getAndIncrement();
        }
    }

    /** For whoever ended the wait, and so once. */
    private void failed(RuntimeException why) {
        this.failure = why;
        if (this.observed != null) {
            boolean refused = why instanceof LockNotGrantedException;
            this.observed.notGranted(refused ? Outcome.TIMEOUT : Outcome.ERROR, refused ? null : why);
        }
    }

    private void look() {
        if (this.looks.getAndIncrement() == 0 && !this.engine.threads().io(this::lookAll)) {
            // The threads have ended; nobody else will look.
            refuse();
            end();
            tellFailure();
        }
    }

    private void tellFailure() {
        RuntimeException why = this.failure;
        if (why != null) {
            this.failure = null;
            this.engine.threads().complete(() -> this.result.completeExceptionally(why));
        }
    }

    private void lookAll() {
        int seen;
        do {
            seen = this.looks.get();
            try {
                lookOnce();
            } catch (LockException ex) {
                failInLook(() -> told(ex));
            } catch (RuntimeException | Error ex) {
                failInLook(() ->
                        told(new LockException("Lock '" + this.turn.lockName() + "' could not be acquired.", ex)));
            }
        } while (this.looks.addAndGet(-seen) != 0);
    }

    private void lookOnce() {
        Attempt asked = this.attempt;
        if (asked != null && !asked.isAnswered()) {
            // The answer causes the next look.
            return;
        }
        this.attempt = null;
        Grant grant = asked != null ? asked.end() : null;
        if (grant == null && this.over.get()) {
            try {
                end();
            } finally {
                tellFailure();
            }
            return;
        }
        if (asked == null) {
            this.acquisition.ensureAccepting();
            if (!this.turn.isDone()) {
                return;
            }
            grant = this.turn.awaitCall();
            if (grant == null && !this.acquisition.mayWaitFirst(this.turn)) {
                this.attempt = this.acquisition.attemptLater(this.turn, this::look);
                return;
            }
        }
        if (grant != null) {
            granted(grant);
        } else if (this.acquisition.isHopeless() || this.acquisition.remaining() <= 0) {
            failInLook(this::gaveUp);
        } else {
            lookLater();
        }
    }

    private void lookLater() {
        this.engine.store().prepareWaiting();
        // A look that a message caused takes the place of the planned one; otherwise they would multiply.
        cancel(this.nextLook);
        // What was heard while the store was asked may be newer than its answer.
        Place place = this.turn.place();
        long pause = place != null && place.isNoticed() ? 0 : this.acquisition.pause();
        this.nextLook = this.engine.threads().later(this::look, pause);
    }

    private void granted(Grant grant) {
        boolean wanted = this.over.compareAndSet(false, true);
        this.ended = true;
        forget();
        this.turn.settle();
        if (!wanted) {
            this.engine.releaser().giveBack(grant);
            this.acquisition.endWaiting();
            return;
        }
        this.acquisition.endWaiting();
        if (this.observed != null) {
            // Before the future is completed: what hangs off it may run at once, and take long.
            this.observed.granted(grant.fencingToken());
        }
        LeaseHandle lease = this.engine.unownedLease(grant);
        this.engine.threads().complete(() -> {
            if (!this.result.complete(lease)) {
                this.engine.releaser().giveBack(grant);
            }
        });
    }

    /** Leaves as if the call had never been made. What was handed over in this very moment goes to the next. */
    private void end() {
        if (this.ended) {
            return;
        }
        if (!this.turn.isDone() && !this.engine.queues().withdraw(this.turn)) {
            // It is being called: the look that follows ends it.
            return;
        }
        // Asked last: it may have been called since.
        boolean called = this.turn.isDone() && !this.turn.isCancelled();
        this.ended = true;
        forget();
        Grant handedOver = called ? this.turn.awaitCall() : null;
        if (handedOver != null) {
            this.turn.settle();
            this.engine.releaser().giveBack(handedOver);
        } else if (called) {
            this.acquisition.passOn(this.turn);
        }
        // Last: a registry that stops waits for those who wait, and takes back nothing after that.
        this.acquisition.endWaiting();
    }

    private void forget() {
        // The turn outlives the wait, and must not keep the lease reachable: it may be forgotten and is noticed then.
        this.turn.onWake(null);
        cancel(this.timeout);
        cancel(this.nextLook);
    }

    private static void cancel(@Nullable ScheduledFuture<?> planned) {
        if (planned != null) {
            planned.cancel(false);
        }
    }
}
