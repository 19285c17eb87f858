package io.github.lockstarter.lease;

import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.ReleaseReply;

/** Gives grants back: to the next in this JVM if that is possible, and to the store otherwise. */
final class Releaser {

    private final LockEngine engine;

    private final HandOver handOver;

    private final boolean inBackground;

    Releaser(LockEngine engine) {
        this.engine = engine;
        this.handOver = new HandOver(engine);
        this.inBackground = engine.settings().releaseMode() == ReleaseMode.BACKGROUND;
    }

    /** Releases, no later than the request wants. */
    boolean release(Grant grant) {
        return release(grant, 0);
    }

    /**
     * Releases. Never throws, cannot be interrupted, and may be called again.
     *
     * @param atLeastMillis how long the lock is to stay taken at least; 0: no longer than its request wants
     * @return false if the lease was lost, now or before
     */
    boolean release(Grant grant, long atLeastMillis) {
        long wanted = KeptRelease.millisToKeep(grant, this.engine.clock().nanoTime());
        return release(grant, Math.max(atLeastMillis, wanted), this.inBackground);
    }

    /** Releases a grant that nobody has used, and so need not be kept. */
    void releaseUnused(Grant grant) {
        boolean unused = release(grant, 0, this.inBackground);
    }

    /** As {@link #releaseUnused}, without waiting for the store if that can be helped. */
    void giveBack(Grant grant) {
        boolean unused = release(grant, 0, true);
    }

    private boolean release(Grant grant, long keepMillis, boolean withoutWaiting) {
        this.engine.losses().check(grant);
        boolean mayPass = keepMillis == 0 && this.handOver.isPossible(grant);
        if (!grant.beginRelease()) {
            return afterEnd(grant);
        }
        if (mayPass && this.handOver.pass(grant)) {
            return true;
        }
        // Renewal ends first, then the store is asked, then the next one in this JVM has its turn.
        this.engine.watchdog().unwatch(grant);
        if (keepMillis > 0) {
            return new KeptRelease(this.engine, grant, keepMillis).await();
        }
        StoreRelease release = new StoreRelease(this.engine, grant);
        return withoutWaiting ? release.send() : release.await();
    }

    /** The store has taken the lock back. */
    void released(Grant grant) {
        this.engine.events().released(grant, Outcome.RELEASED, null);
        end(grant);
    }

    /** The lock was not ours any more when the store was asked to take it back. */
    void foundLost(Grant grant, ReleaseReply reply) {
        boolean gone = reply.outcome() == ReleaseReply.Outcome.GONE;
        this.engine.losses().declareInRelease(grant, gone ? LossReason.DELETED : LossReason.TAKEN_OVER);
        boolean unused = grant.settle();
        this.engine.events().released(grant, Outcome.LOST, null);
        end(grant);
    }

    /** The store did not say whether it has taken the lock back. */
    void unanswered(Grant grant, Throwable failure) {
        this.engine.events().released(grant, Outcome.ERROR, failure);
        end(grant);
    }

    private void end(Grant grant) {
        grant.endRelease();
        this.engine.losses().forget(grant);
        this.engine.live().ended();
    }

    private boolean afterEnd(Grant grant) {
        LossReason reason = grant.standing().lossReason();
        if (reason != null) {
            // Whoever declares the loss may not have come to that yet, and the owner may lock again at once.
            this.engine.queues().leave(grant.turn());
        }
        if (reason != null && grant.settle()) {
            // By our clock it is over, by the store's perhaps not yet; with the body ended nobody need wait for that.
            if (reason == LossReason.EXPIRED || reason == LossReason.MAX_HOLD) {
                this.engine.backgroundRelease().ofGrant(grant);
            } else {
                this.engine.backgroundRelease().ofUnanswered(grant);
            }
            this.engine.events().released(grant, Outcome.LOST, null);
        }
        return reason == null;
    }
}
