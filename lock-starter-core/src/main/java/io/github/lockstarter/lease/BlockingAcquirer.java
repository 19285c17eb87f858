package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
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
            if (grant == null) {
                acquisition.consider(turn);
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
        // Called in the very moment in which the time was up: then it is in time.
        return called || !this.engine.queues().withdraw(turn);
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
            acquisition.passOn(turn);
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
            if (shield == null) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            } else if (shield.caught()) {
                // The interrupt may be why there was no answer: ask again, under the same id.
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
