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
        Turn turn = this.engine.queues().enter(acquisition.request().lockName());
        Grant grant = null;
        try {
            acquisition.ensureAccepting();
            if (awaitTurn(acquisition, turn, shield)) {
                grant = poll(acquisition, turn, shield);
            }
            if (grant == null) {
                acquisition.consider(turn);
            }
            return grant;
        } catch (InterruptedException ex) {
            acquisition.tell(Outcome.INTERRUPTED, null);
            throw ex;
        } finally {
            acquisition.end(grant != null);
            turn.onWake(null);
            if (grant == null) {
                turn.leave();
            }
        }
    }

    private static boolean awaitTurn(Acquisition acquisition, Turn turn, @Nullable InterruptShield shield)
            throws InterruptedException {
        if (shield == null && Thread.interrupted()) {
            throw new InterruptedException();
        }
        while (!turn.isDone() && acquisition.remaining() > 0) {
            acquisition.beginWaiting();
            try {
                turn.get(acquisition.remaining(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException ex) {
                rethrowUnlessShielded(ex, shield);
            } catch (TimeoutException ex) {
                return false;
            } catch (ExecutionException ex) {
                break;
            }
        }
        if (turn.isCompletedExceptionally()) {
            acquisition.ensureAccepting();
        }
        return turn.isDone();
    }

    private static void rethrowUnlessShielded(InterruptedException ex, @Nullable InterruptShield shield)
            throws InterruptedException {
        if (shield == null) {
            throw ex;
        }
        shield.took();
    }

    private @Nullable Grant poll(Acquisition acquisition, Turn turn, @Nullable InterruptShield shield)
            throws InterruptedException {
        Semaphore wake = new Semaphore(0);
        turn.onWake(wake::release);
        while (true) {
            Grant grant = acquisition.attempt(turn);
            if (grant != null) {
                return grant;
            }
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
