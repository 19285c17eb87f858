package io.github.lockstarter.lease;

import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedCallback;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import org.jspecify.annotations.Nullable;

/** Runs a body under a lock: acquire, run, release, and say so if the lease was lost on the way. */
final class LockedExecution {

    private final LockEngine engine;

    private final LockRequest request;

    private final OnLost onLost;

    LockedExecution(LockEngine engine, LockRequest request) {
        this.engine = engine;
        this.request = request;
        this.onLost = request.onLost() == OnLost.DEFAULT ? engine.settings().onLost() : request.onLost();
    }

    <T extends @Nullable Object, E extends Throwable> T run(LockedCallback<T, E> body) throws E {
        Hold hold = enter();
        int number = hold.count();
        BodyInterrupt interrupt = armInterrupt(hold);
        T result;
        try {
            result = body.run(hold.lease());
        } catch (Throwable ex) {
            LockLostException loss = end(hold, number, interrupt);
            // The exception of the body wins; it may well be the report of this very loss already.
            if (loss != null && !isReportOf(loss, ex)) {
                ex.addSuppressed(loss);
            }
            throw ex;
        }
        LockLostException loss = end(hold, number, interrupt);
        if (loss != null) {
            throw loss;
        }
        return result;
    }

    private Hold enter() {
        try {
            return this.engine.owned().enter(this.request, this.engine.waitTime(this.request), null);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "Interrupted while waiting for lock '" + this.engine.names().of(this.request.lockName())
                            + "'; the body was not run.",
                    ex);
        }
    }

    private static boolean isReportOf(LockLostException loss, Throwable thrown) {
        return thrown instanceof LockLostException other
                && other.lockName().equals(loss.lockName())
                && other.fencingToken() == loss.fencingToken();
    }

    private @Nullable BodyInterrupt armInterrupt(Hold hold) {
        if (this.onLost != OnLost.INTERRUPT) {
            return null;
        }
        BodyInterrupt interrupt = new BodyInterrupt();
        this.engine.losses().onLoss(hold.grant(), interrupt);
        return interrupt;
    }

    private @Nullable LockLostException end(Hold hold, int number, @Nullable BodyInterrupt interrupt) {
        if (interrupt != null) {
            this.engine.losses().forget(hold.grant(), interrupt);
            interrupt.end();
        }
        LossReason reason = this.engine.owned().leave(hold, number);
        return reason != null && this.onLost != OnLost.IGNORE
                ? LossDescription.of(this.engine.names(), hold.grant(), reason)
                : null;
    }
}
