package io.github.lockstarter.lease;

import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.ReleaseReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Gives grants back: renewal ends first, then the store is asked, then the next one in this JVM has its turn. */
final class Releaser {

    private static final Log logger = LogFactory.getLog(Releaser.class);

    private final LockEngine engine;

    Releaser(LockEngine engine) {
        this.engine = engine;
    }

    /**
     * Releases. Never throws, cannot be interrupted, and may be called again.
     *
     * @return false if the lease was lost, now or before
     */
    boolean release(Grant grant) {
        this.engine.losses().check(grant);
        if (!grant.beginRelease()) {
            return afterEnd(grant);
        }
        this.engine.watchdog().unwatch(grant);
        try (InterruptShield shield = new InterruptShield()) {
            return askStore(grant, shield);
        } finally {
            grant.endRelease();
            this.engine.losses().forget(grant);
            this.engine.live().ended();
            grant.turn().leave();
        }
    }

    private boolean askStore(Grant grant, InterruptShield shield) {
        boolean repeated = false;
        while (true) {
            ReleaseReply reply;
            try {
                reply = this.engine.store().release(grant.lockName(), grant.acquisitionId());
            } catch (RuntimeException ex) {
                if (shield.caught()) {
                    repeated = true;
                    continue;
                }
                logger.warn("Lock '" + grant.lockName() + "' could not be released yet: " + ex.getMessage()
                        + " Tried again in the background; at worst it runs out by itself.");
                this.engine.backgroundRelease().ofGrant(grant);
                this.engine.events().released(grant, Outcome.ERROR, ex);
                return true;
            }
            // Asked again, by us or by the client, the store may have released at the first time: "not mine" is no
            // loss.
            if (reply == ReleaseReply.RELEASED || reply == ReleaseReply.UNPROVEN || repeated) {
                releaseUnanswered(grant);
                this.engine.events().released(grant, Outcome.RELEASED, null);
                return true;
            }
            this.engine
                    .losses()
                    .declareInRelease(grant, reply == ReleaseReply.GONE ? LossReason.DELETED : LossReason.TAKEN_OVER);
            grant.settle();
            this.engine.events().released(grant, Outcome.LOST, null);
            return false;
        }
    }

    /** An attempt of the acquisition that was never answered could still take the lock again, for nobody. */
    private void releaseUnanswered(Grant grant) {
        long left = grant.unansweredMillis(this.engine.clock().nanoTime());
        if (left > 0) {
            this.engine.backgroundRelease().ofUnanswered(grant.lockName(), grant.acquisitionId(), left);
        }
    }

    private boolean afterEnd(Grant grant) {
        LossReason reason = grant.standing().lossReason();
        if (reason != null && grant.settle()) {
            // By our clock it is over, by the store's perhaps not yet; with the body ended nobody need wait for that.
            if (reason == LossReason.EXPIRED || reason == LossReason.MAX_HOLD) {
                this.engine.backgroundRelease().ofGrant(grant);
            }
            this.engine.events().released(grant, Outcome.LOST, null);
        }
        return reason == null;
    }
}
