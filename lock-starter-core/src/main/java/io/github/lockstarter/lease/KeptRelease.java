package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.ReleaseReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * One release before the minimum hold is over: the owner is done, but the lock is handed to nobody and runs out by itself
 * when the time has come.
 */
final class KeptRelease {

    private static final Log logger = LogFactory.getLog(KeptRelease.class);

    private final LockEngine engine;

    private final Grant grant;

    private final long keepMillis;

    KeptRelease(LockEngine engine, Grant grant, long keepMillis) {
        this.engine = engine;
        this.grant = grant;
        this.keepMillis = keepMillis;
    }

    /** Waits for the answer; false if the lock was not ours any more. */
    boolean await() {
        boolean ours = true;
        try (InterruptShield shield = new InterruptShield()) {
            ours = ask(shield);
        } finally {
            this.grant.endRelease();
            this.engine.losses().forget(this.grant);
            this.engine.live().ended();
            // Who comes next asks the store, and hears from it how long the lock is kept.
            this.engine.queues().leave(this.grant.turn());
        }
        return ours;
    }

    private boolean ask(InterruptShield shield) {
        while (true) {
            try {
                return concluded(
                        this.engine.store().keep(this.grant.lockName(), this.grant.acquisitionId(), this.keepMillis));
            } catch (RuntimeException ex) {
                // Asked again it does the same again.
                if (!shield.caught()) {
                    logger.warn(LockException.printable(
                            "Lock '" + this.grant.lockName() + "' could not be told how long to stay: "
                                    + ex.getMessage() + " It runs out with its lease."));
                    this.engine.events().released(this.grant, Outcome.ERROR, ex);
                    return true;
                }
            }
        }
    }

    private boolean concluded(ReleaseReply reply) {
        if (reply.isReleased()) {
            this.engine.events().released(this.grant, Outcome.RELEASED, null);
            return true;
        }
        boolean gone = reply.outcome() == ReleaseReply.Outcome.GONE;
        this.engine.losses().declareInRelease(this.grant, gone ? LossReason.DELETED : LossReason.TAKEN_OVER);
        boolean unused = this.grant.settle();
        this.engine.events().released(this.grant, Outcome.LOST, null);
        return false;
    }
}
