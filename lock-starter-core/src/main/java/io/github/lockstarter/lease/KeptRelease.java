package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.store.ReleaseReply;
import java.util.concurrent.TimeUnit;
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

    /** How long a grant must be kept yet although its owner is done; 0: not at all. */
    static long millisToKeep(Grant grant, long now) {
        long keptUntil = grant.keptUntil();
        if (keptUntil == Grant.NOT_KEPT) {
            return 0;
        }
        long left = keptUntil - now;
        // A part of a millisecond counts, or the lock would be free a moment too early.
        return left > 0 ? TimeUnit.NANOSECONDS.toMillis(left) + 1 : 0;
    }

    /** Waits for the answer; false if the lock was not ours any more. */
    boolean await() {
        try (InterruptShield shield = new InterruptShield()) {
            while (true) {
                ReleaseReply reply;
                try {
                    reply = this.engine
                            .store()
                            .keep(this.grant.lockName(), this.grant.acquisitionId(), this.keepMillis);
                } catch (RuntimeException | Error ex) {
                    if (shield.caught()) {
                        // Asked again it does the same again.
                        continue;
                    }
                    failed(ex);
                    return true;
                }
                return concluded(reply);
            }
        } finally {
            // Who comes next asks the store, and hears from it how long the lock is kept.
            this.engine.queues().leave(this.grant.turn());
        }
    }

    private boolean concluded(ReleaseReply reply) {
        if (reply.isReleased()) {
            this.engine.releaser().released(this.grant);
            return true;
        }
        this.engine.releaser().foundLost(this.grant, reply);
        return false;
    }

    private void failed(Throwable failure) {
        logger.warn(LockException.printable("Lock '" + this.grant.lockName() + "' could not be told how long to stay: "
                + failure.getMessage() + " It runs out with its lease."));
        this.engine.releaser().unanswered(this.grant, failure);
    }
}
