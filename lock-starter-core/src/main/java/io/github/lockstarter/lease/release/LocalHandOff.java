package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.GrantState;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.settings.HandOffLimits;
import io.github.lockstarter.lease.support.LeaseClock;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands a lease to the next waiter of this JVM as it is, without the store: the same acquisition id, the same end, the
 * next fencing token. Limited by time and number, so that other JVMs get the lock as well.
 */
public final class LocalHandOff {

    private final LocalQueues<Grant> queues;

    private final GrantFactory grants;

    private final Losses losses;

    private final ReleaseOutcomes outcomes;

    private final LeaseClock clock;

    private final ByName<HandOffLimits> limits;

    private final long enoughUnconfirmedNanos;

    public LocalHandOff(
            LocalQueues<Grant> queues,
            GrantFactory grants,
            Losses losses,
            ReleaseOutcomes outcomes,
            LeaseClock clock,
            ByName<HandOffLimits> limits,
            ClaimLease claimLease) {
        this.queues = queues;
        this.grants = grants;
        this.losses = losses;
        this.outcomes = outcomes;
        this.clock = clock;
        this.limits = limits;
        this.enoughUnconfirmedNanos = claimLease.leastNanos();
    }

    /**
     * Returns the node of a grant that may be handed over: renewed and not at risk, with enough time left, within the
     * limits, and with a waiter behind it; null otherwise. There are never more hand-offs than microseconds since the
     * store's reply, because the next token of the store is at least its time in microseconds.
     */
    @Nullable
    QueueNode<Grant> nodeIfPossible(Grant grant) {
        QueueNode<Grant> node = this.queues.nodeOf(grant.lockName(), grant);
        return node != null && !node.isLast() && isWithinLimits(grant) ? node : null;
    }

    /** Returns whether a grant may be handed over if a waiter is there. */
    boolean isWithinLimits(Grant grant) {
        HandOffLimits limits = this.limits.of(grant.request().name());
        long since = this.clock.nanoTime() - grant.storeGrantedAt();
        return grant.state() == GrantState.HELD
                && grant.renewUntil() != Grant.NOT_RENEWED
                && since < limits.maxNanos()
                && grant.passes() < Math.min(limits.maxCount(), TimeUnit.NANOSECONDS.toMicros(since))
                && hasEnoughLeft(grant, limits.enoughNanos())
                && !this.losses.hasGivenUp();
    }

    private boolean hasEnoughLeft(Grant grant, long enoughNanos) {
        long remaining = grant.remaining(this.clock);
        // Its renewal is on the way. Without that exception, short work would never be handed over after a message.
        if (!grant.isConfirmed()) {
            return remaining > this.enoughUnconfirmedNanos;
        }
        // A lease that a nested hold has extended would outlive its next owner by as much if that owner dies.
        return remaining > enoughNanos && remaining <= 2 * enoughNanos;
    }

    /** Hands over a grant whose release has begun; returns false if no next waiter wants a renewed lease. */
    boolean handOff(Grant grant, QueueNode<Grant> node) {
        QueueNode<Grant> next = this.queues.endFor(node, LocalHandOff::wantsRenewal);
        if (next == null) {
            return false;
        }
        WaitingRequest waiter = Objects.requireNonNull(next.waiter());
        Grant successor = this.grants.successor(grant, waiter.request(), waiter.owner());
        next.granted(successor);
        this.outcomes.handedOff(grant);
        this.grants.beginInstead(grant, successor, waiter.startedAt());
        next.complete(successor);
        return true;
    }

    private static boolean wantsRenewal(QueueNode<Grant> node) {
        WaitingRequest waiter = node.waiter();
        return waiter != null && waiter.wantsRenewal();
    }
}
