package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockStoreException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for a grant on the calling thread: first for the turn in this JVM, then for the store. */
final class BlockingAcquirer {

    private final LockEngine engine;

    BlockingAcquirer(LockEngine engine) {
        this.engine = engine;
    }

    /**
     * Acquires, or says that the wait is over.
     *
     * @param shield keeps interrupts away from the whole call; null: an interrupt ends it
     * @return null if somebody else held the lock until the end of the wait
     * @throws LockException if nobody could say who holds it
     */
    @Nullable
    Grant acquire(Acquisition acquisition, @Nullable InterruptShield shield) throws InterruptedException {
        Turn turn = this.engine.queues().enter(acquisition.request().lockName(), acquisition);
        Grant grant = null;
        try {
            acquisition.ensureAccepting();
            if (awaitTurn(acquisition, turn, shield)) {
                grant = turn.awaitCall();
                if (grant == null) {
                    grant = poll(acquisition, turn, shield);
                }
            }
            return grant;
        } catch (InterruptedException ex) {
            acquisition.tell(Outcome.INTERRUPTED, null);
            throw ex;
        } catch (LockException ex) {
            acquisition.tell(Outcome.ERROR, ex);
            throw ex;
        } finally {
            if (grant == null) {
                giveUp(acquisition, turn);
            } else {
                turn.settle();
            }
            // Last: a registry that stops waits for those who wait, and takes back nothing after that.
            acquisition.endWaiting();
        }
    }

    /** Waits for the call; false if the wait is over without one. */
    private boolean awaitTurn(Acquisition acquisition, Turn turn, @Nullable InterruptShield shield)
            throws InterruptedException {
        if (shield == null && Thread.interrupted()) {
            throw new InterruptedException();
        }
        boolean called = turn.isDone();
        while (!called && acquisition.remaining() > 0) {
            acquisition.beginWaiting();
            try {
                turn.get(acquisition.remaining(), TimeUnit.NANOSECONDS);
                called = true;
            } catch (InterruptedException ex) {
                rethrowUnlessShielded(ex, shield);
            } catch (TimeoutException ex) {
                break;
            } catch (ExecutionException ex) {
                acquisition.ensureAccepting();
                return false;
            }
        }
        if (called || !this.engine.queues().withdraw(turn)) {
            // Called at the very moment in which the time was up: then it is in time.
            return true;
        }
        // Only after that: a call that does not wait must not be served while it asks.
        LockStoreException failure = whyNotRefused(turn, shield);
        if (failure != null) {
            acquisition.unverified(failure);
        }
        return false;
    }

    /** Why the store cannot say whether anybody holds the lock; null if it is known to be held, or was a moment ago. */
    private @Nullable LockStoreException whyNotRefused(Turn turn, @Nullable InterruptShield shield)
            throws InterruptedException {
        while (true) {
            HolderCheck check = new HolderCheck(this.engine, turn.lockName());
            if (check.isHeldHere()) {
                return null;
            }
            check.ask();
            if (check.failure() == null || !wasInterrupted(shield)) {
                return check.failure();
            }
        }
    }

    /** Whether an interrupt may be the reason for a missing answer; an interrupt ends the wait unless it is shielded. */
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
        shield.took();
    }

    /** Leaves as if the call had never been made. What was handed over in this very moment goes to the next. */
    private void giveUp(Acquisition acquisition, Turn turn) {
        if (!turn.isDone() && this.engine.queues().withdraw(turn)) {
            return;
        }
        Grant handedOver = turn.awaitCall();
        if (handedOver != null) {
            turn.settle();
            this.engine.releaser().releaseUnused(handedOver);
        } else {
            leave(acquisition, turn);
        }
    }

    /**
     * Leaves the store's line before the caller learns of the end: until then the lock can be granted to the entry, and
     * tries of others are refused although the lock is free. A store that has just failed to answer is not awaited.
     */
    private static void leave(Acquisition acquisition, Turn turn) {
        Place place = turn.place();
        boolean answers = place != null && place.unansweredMillis() == 0 && place.trouble() == null;
        CompletionStage<?> left = acquisition.passOn(turn);
        if (answers) {
            InterruptShield.await(left, Duration.ofNanos(acquisition.grace()));
        }
    }

    private @Nullable Grant poll(Acquisition acquisition, Turn turn, @Nullable InterruptShield shield)
            throws InterruptedException {
        Semaphore wake = new Semaphore(0);
        turn.onWake(wake::release);
        boolean waitFirst = acquisition.mayWaitFirst(turn);
        while (true) {
            if (!waitFirst) {
                Grant grant = acquisition.attempt(turn);
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
            acquisition.beginWaiting();
            this.engine.store().prepareWaiting();
            try {
                wake.tryAcquire(Math.max(0, acquisition.pause()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException ex) {
                rethrowUnlessShielded(ex, shield);
            }
            wake.drainPermits();
        }
    }
}
