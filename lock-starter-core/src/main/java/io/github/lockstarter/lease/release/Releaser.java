package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.settings.ReleaseMode;
import io.github.lockstarter.tx.UnlockWarning;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Releases grants: to the next waiter of this JVM if that is possible, and through the store otherwise. A release never
 * throws, cannot be interrupted, and may be repeated. Safe for use by several threads.
 */
public final class Releaser {

    private static final CompletionStage<Boolean> SENT = CompletableFuture.completedStage(true);

    private final Losses losses;

    private final CheckSchedule checks;

    private final LocalHandOff handOff;

    private final SharedGrants shared;

    private final PermitHandOff permits;

    private final ReleaseOutcomes outcomes;

    private final StoreRelease storeRelease;

    private final MinimumHoldRelease minimumHold;

    private final LostGrantRelease lost;

    private final boolean inBackground;

    private final @Nullable UnlockWarning warning;

    public Releaser(
            Losses losses,
            CheckSchedule checks,
            LocalHandOff handOff,
            SharedGrants shared,
            PermitHandOff permits,
            ReleaseOutcomes outcomes,
            StoreRelease storeRelease,
            MinimumHoldRelease minimumHold,
            LostGrantRelease lost,
            ReleaseMode mode,
            @Nullable UnlockWarning warning) {
        this.losses = losses;
        this.checks = checks;
        this.handOff = handOff;
        this.shared = shared;
        this.permits = permits;
        this.outcomes = outcomes;
        this.storeRelease = storeRelease;
        this.minimumHold = minimumHold;
        this.lost = lost;
        this.inBackground = mode == ReleaseMode.BACKGROUND;
        this.warning = warning;
    }

    /**
     * Releases a grant.
     *
     * @param atLeastMillis how long the lock stays taken at least; 0: as long as the minimum hold of its request requires
     * @return false if the lease was lost, now or before
     */
    public boolean release(Grant grant, long atLeastMillis) {
        if (this.warning != null) {
            this.warning.beforeRelease(grant.request());
        }
        return releaseNow(grant, Math.max(atLeastMillis, this.minimumHold.millisLeft(grant)));
    }

    /** Releases a grant that was not used, without its minimum hold. */
    public void releaseUnused(Grant grant) {
        boolean unused = releaseNow(grant, 0);
    }

    /**
     * As {@link #releaseUnused}, without waiting for the store.
     *
     * @return completed when the store has answered, or failed to; never exceptionally
     */
    public CompletionStage<Boolean> giveBack(Grant grant) {
        return send(grant, 0);
    }

    /**
     * Releases without waiting for the store.
     *
     * @param atLeastMillis as for {@link #release}
     * @return completed with what that would return, on a thread that must not be blocked; never exceptionally
     */
    public CompletionStage<Boolean> releaseAsync(Grant grant, long atLeastMillis) {
        CompletionStage<Boolean> released = send(grant, Math.max(atLeastMillis, this.minimumHold.millisLeft(grant)));
        return this.inBackground ? SENT : released;
    }

    private boolean releaseNow(Grant grant, long keepMillis) {
        Boolean ended = endHere(grant, keepMillis);
        if (ended != null) {
            return ended;
        }
        long keep = Math.max(keepMillis, this.minimumHold.groupMillisLeft(grant));
        if (keep > 0) {
            return this.minimumHold.await(grant, keep);
        }
        if (this.inBackground) {
            CompletionStage<Boolean> unused = this.storeRelease.send(grant);
            return true;
        }
        return this.storeRelease.await(grant);
    }

    private CompletionStage<Boolean> send(Grant grant, long keepMillis) {
        Boolean ended = endHere(grant, keepMillis);
        if (ended != null) {
            return CompletableFuture.completedFuture(ended);
        }
        long keep = Math.max(keepMillis, this.minimumHold.groupMillisLeft(grant));
        return keep > 0 ? this.minimumHold.send(grant, keep) : this.storeRelease.send(grant);
    }

    /** Ends a grant that has ended already or goes to the next waiter of this JVM; null: the store must be asked. */
    private @Nullable Boolean endHere(Grant grant, long keepMillis) {
        this.losses.check(grant);
        if (grant instanceof SharedGrant sharing) {
            return endShared(sharing, keepMillis);
        }
        QueueNode<Grant> node = keepMillis == 0 ? this.handOff.nodeIfPossible(grant) : null;
        if (!grant.beginRelease()) {
            return this.lost.release(grant);
        }
        if (node != null && this.handOff.handOff(grant, node)) {
            return Boolean.TRUE;
        }
        // Renewals end first, then the store is asked, then the next waiter of this JVM is called.
        this.checks.endChecks(grant);
        return null;
    }

    /** Ends a shared grant; null: it was the last one of its group, and the store must be asked. */
    private @Nullable Boolean endShared(SharedGrant grant, long keepMillis) {
        boolean mayPass = keepMillis == 0 && this.permits.isPossible(grant);
        if (!grant.beginRelease()) {
            return this.lost.release(grant);
        }
        if (mayPass && this.permits.offer(grant)) {
            boolean unused = this.shared.ended(grant);
            this.outcomes.handedOff(grant);
            return Boolean.TRUE;
        }
        this.checks.endChecks(grant);
        this.minimumHold.keepGroup(grant, keepMillis);
        if (this.shared.ended(grant)) {
            return null;
        }
        this.outcomes.left(grant);
        return Boolean.TRUE;
    }
}
