package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.OfferedGrant;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.GrantKind;
import org.jspecify.annotations.Nullable;

/**
 * Hands permits to the first waiter of this JVM for as many, without the store, within the limits of {@link LocalHandOff}.
 *
 * <p>Implementation note. The first waiter stands in the line of the store under its ticket, and may be asking at this moment.
 * So the grant is offered to the ticket: the waiter takes it before its next attempt, or after one that was refused, and
 * the ticket passes on to the waiter behind it, with its position in the line. A ticket that ends gives an offer back to the
 * store. Between the offer and its taking the grant is watched by no check, which is short: the waiter is woken at once, and
 * refuses an offer that has too little time left.
 */
public final class PermitHandOff {

    private final LocalQueues<Grant> queues;

    private final LocalHandOff limits;

    private final GrantFactory grants;

    private final SharedGrants shared;

    private final OrphanCleanup cleanup;

    private final CheckSchedule checks;

    private final InFlightCounter live;

    private final LeaseClock clock;

    public PermitHandOff(
            LocalQueues<Grant> queues,
            LocalHandOff limits,
            GrantFactory grants,
            SharedGrants shared,
            OrphanCleanup cleanup,
            CheckSchedule checks,
            InFlightCounter live,
            LeaseClock clock) {
        this.queues = queues;
        this.limits = limits;
        this.grants = grants;
        this.shared = shared;
        this.cleanup = cleanup;
        this.checks = checks;
        this.live = live;
        this.clock = clock;
    }

    /** Returns whether the grant may be handed over if a waiter is there; only while it is held. */
    boolean isPossible(SharedGrant grant) {
        return grant.passes() < GrantKind.of(grant.request()).reservedTokens() && this.limits.isWithinLimits(grant);
    }

    private @Nullable QueueNode<Grant> firstFor(SharedGrant grant) {
        QueueNode<Grant> first = this.queues.first(grant.lockName(), GrantKind.of(grant.request()));
        WaitingRequest waiter = first != null && first.isWaiting() ? first.waiter() : null;
        return waiter != null && waiter.wantsRenewal() ? first : null;
    }

    /** Offers a grant whose release has begun to the first waiter; returns false if that is not possible now. */
    boolean offer(SharedGrant grant) {
        QueueNode<Grant> first = firstFor(grant);
        LineTicket ticket = first != null ? first.ticket() : null;
        if (first == null || ticket == null || !ticket.offer(new Offer(grant))) {
            return false;
        }
        first.wake();
        return true;
    }

    /** Returns the grant that is offered to the waiter under this ticket; null: there is none that it can use. */
    public @Nullable SharedGrant take(LineTicket ticket, WaitingRequest waiter) {
        if (!(ticket.takeOffer() instanceof Offer offer)) {
            return null;
        }
        SharedGrant grant = (SharedGrant) this.grants.successor(offer.from, waiter.request(), waiter.owner());
        if (!waiter.wantsRenewal() || grant.hasEnded(this.clock)) {
            offer.abandon();
            return null;
        }
        this.grants.beginInstead(offer.from, grant, waiter.startedAt());
        this.shared.continued(grant);
        return grant;
    }

    /** A grant between two owners. */
    private final class Offer implements OfferedGrant {

        private final SharedGrant from;

        private Offer(SharedGrant from) {
            this.from = from;
        }

        @Override
        public void abandon() {
            PermitHandOff.this.checks.endChecks(this.from);
            PermitHandOff.this.cleanup.ofGrant(this.from);
            PermitHandOff.this.live.ended();
        }
    }
}
