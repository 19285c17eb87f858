package io.github.lockstarter.lease;

import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.ReleaseReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Gives grants back: to the next in this JVM if that is possible, and to the store otherwise. */
final class Releaser {

    private static final CompletionStage<Boolean> SENT = CompletableFuture.completedStage(true);

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
        return release(grant, keepMillis(grant, atLeastMillis), this.inBackground);
    }

    /** Releases a grant that nobody has used, and so need not be kept. */
    void releaseUnused(Grant grant) {
        boolean unused = release(grant, 0, this.inBackground);
    }

    /**
     * As {@link #releaseUnused}, without waiting for the store.
     *
     * @return completed when the store has answered, or failed to; never exceptionally
     */
    CompletionStage<Boolean> giveBack(Grant grant) {
        return sendRelease(grant, 0);
    }

    /**
     * Releases without waiting for the store.
     *
     * @param atLeastMillis as for {@link #release(Grant, long)}
     * @return completed with what that would return, on a thread that must not be blocked; never exceptionally
     */
    CompletionStage<Boolean> releaseAsync(Grant grant, long atLeastMillis) {
        CompletionStage<Boolean> released = sendRelease(grant, keepMillis(grant, atLeastMillis));
        return this.inBackground ? SENT : released;
    }

    private long keepMillis(Grant grant, long atLeastMillis) {
        return Math.max(
                atLeastMillis,
                KeptRelease.millisToKeep(grant, this.engine.clock().nanoTime()));
    }

    private boolean release(Grant grant, long keepMillis, boolean withoutWaiting) {
        Boolean ended = endHere(grant, keepMillis);
        if (ended != null) {
            return ended;
        }
        if (keepMillis > 0) {
            return new KeptRelease(this.engine, grant, keepMillis).await();
        }
        StoreRelease release = new StoreRelease(this.engine, grant);
        if (withoutWaiting) {
            CompletionStage<Boolean> unused = release.send();
            return true;
        }
        return release.await();
    }

    private CompletionStage<Boolean> sendRelease(Grant grant, long keepMillis) {
        Boolean ended = endHere(grant, keepMillis);
        if (ended != null) {
            return CompletableFuture.completedFuture(ended);
        }
        return keepMillis > 0
                ? new KeptRelease(this.engine, grant, keepMillis).send()
                : new StoreRelease(this.engine, grant).send();
    }

    /** Ends a grant that has ended already or goes to the next in this JVM; null if the store is to be asked. */
    private @Nullable Boolean endHere(Grant grant, long keepMillis) {
        this.engine.losses().check(grant);
        boolean mayPass = keepMillis == 0 && this.handOver.isPossible(grant);
        if (!grant.beginRelease()) {
            return afterEnd(grant);
        }
        if (mayPass && this.handOver.pass(grant)) {
            return Boolean.TRUE;
        }
        // Renewal ends first, then the store is asked, then the next one in this JVM has its turn.
        this.engine.watchdog().unwatch(grant);
        return null;
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
