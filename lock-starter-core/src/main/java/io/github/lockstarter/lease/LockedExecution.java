package io.github.lockstarter.lease;

import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.text.LoggedNames;
import org.jspecify.annotations.Nullable;

/** Runs code under a lock: acquires, runs, releases, and reports a lease that was lost meanwhile. */
final class LockedExecution {

    private final OwnedLocks locks;

    private final Losses losses;

    private final LoggedNames names;

    private final OnLost defaultReaction;

    /**
     * Creates an execution.
     *
     * @param defaultReaction to losses under requests that have none of their own
     */
    LockedExecution(OwnedLocks locks, Losses losses, LoggedNames names, OnLost defaultReaction) {
        this.locks = locks;
        this.losses = losses;
        this.names = names;
        this.defaultReaction = defaultReaction;
    }

    <T extends @Nullable Object, E extends Throwable> T run(LockRequest request, LockedCallback<T, E> body) throws E {
        OnLost onLost = request.onLost() == OnLost.DEFAULT ? this.defaultReaction : request.onLost();
        Hold hold;
        try {
            hold = this.locks.enter(request, null, null);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "Interrupted while waiting for lock '" + this.names.of(request.lockName())
                            + "'; the body was not run.",
                    ex);
        }
        int number = hold.count();
        BodyInterrupt interrupt = onLost == OnLost.INTERRUPT ? armInterrupt(hold) : null;
        T result;
        try {
            result = body.run(hold.lease());
        } catch (Throwable ex) {
            LockLostException loss = end(hold, number, interrupt, onLost);
            // The exception of the body takes precedence; it may itself report this loss.
            if (loss != null && !isReportOf(loss, ex)) {
                ex.addSuppressed(loss);
            }
            throw ex;
        }
        LockLostException loss = end(hold, number, interrupt, onLost);
        if (loss != null) {
            throw loss;
        }
        return result;
    }

    private static boolean isReportOf(LockLostException loss, Throwable thrown) {
        return thrown instanceof LockLostException other
                && other.lockName().equals(loss.lockName())
                && other.fencingToken() == loss.fencingToken();
    }

    private BodyInterrupt armInterrupt(Hold hold) {
        BodyInterrupt interrupt = new BodyInterrupt();
        this.losses.onLoss(hold.grant(), interrupt);
        return interrupt;
    }

    private @Nullable LockLostException end(Hold hold, int number, @Nullable BodyInterrupt interrupt, OnLost onLost) {
        if (interrupt != null) {
            this.losses.forget(hold.grant(), interrupt);
            interrupt.end();
        }
        LossReason reason = this.locks.leave(hold, number);
        return reason != null && onLost != OnLost.IGNORE ? hold.lease().exception(reason) : null;
    }
}
