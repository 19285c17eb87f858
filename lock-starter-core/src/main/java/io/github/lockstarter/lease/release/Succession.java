package io.github.lockstarter.lease.release;

import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineBase;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.StopSignal;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Successor;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Calls the next waiter of this JVM when the first one has ended: without a ticket of its own, with the ticket that a
 * release has put into the store's line, or with the grant that the release has brought.
 */
public final class Succession {

    private final LocalQueues<Grant> queues;

    private final GrantFactory grants;

    private final Losses losses;

    private final OrphanCleanup cleanup;

    private final StopSignal stop;

    private final LeaseClock clock;

    private final ClaimLease claimLease;

    public Succession(
            LocalQueues<Grant> queues,
            GrantFactory grants,
            Losses losses,
            OrphanCleanup cleanup,
            StopSignal stop,
            LeaseClock clock,
            ClaimLease claimLease) {
        this.queues = queues;
        this.grants = grants;
        this.losses = losses;
        this.cleanup = cleanup;
        this.stop = stop;
        this.clock = clock;
        this.claimLease = claimLease;
    }

    /**
     * Ends a wait without a grant: those behind it go on with that ticket, or the ticket leaves the store's line.
     *
     * @return completed when the store has answered, or failed to, or need not be asked; never exceptionally
     */
    public CompletionStage<?> passOn(QueueNode<Grant> node, LineTicket ticket) {
        if (this.queues.leave(node, ticket)) {
            return OrphanCleanup.NOTHING_TO_AWAIT;
        }
        if (ticket.isKnown()) {
            return this.cleanup.ofTicket(node.lockName(), ticket);
        }
        // Gives back a grant that is offered at this moment.
        long unused = ticket.close();
        return OrphanCleanup.NOTHING_TO_AWAIT;
    }

    @Nullable
    QueueNode<Grant> nodeOf(Grant grant) {
        return this.queues.nodeOf(grant.lockName(), grant);
    }

    /** Gives the node a ticket for those behind it, which a release tells the store; null: no waiter is behind it. */
    @Nullable
    Successor prepare(QueueNode<Grant> node) {
        QueueNode<Grant> next = this.queues.nextBehind(node);
        WaitingRequest waiter = next != null ? next.waiter() : null;
        if (waiter == null || this.stop.isStopping()) {
            return null;
        }
        LineTicket ticket = this.queues.newTicket(node);
        // A message about it may arrive before the reply to the release.
        node.prepare(ticket);
        return new Successor(ticket.acquisitionId(), waiter.leaseMillis());
    }

    /** Calls the next waiter to ask under a ticket of its own. */
    void callNext(Grant grant) {
        this.queues.leave(grant.lockName(), grant);
    }

    /**
     * Calls the next waiter according to the reply to the release.
     *
     * @param successor what the release has told the store of the ticket
     * @param sentAt nanoseconds at which the release was sent
     * @param sentAtWall the same in milliseconds of the wall clock
     * @return completed when the ticket has left the line, if all that waited for it have given up meanwhile
     */
    CompletionStage<?> callNext(
            QueueNode<Grant> node,
            LineTicket ticket,
            Successor successor,
            ReleaseReply reply,
            long sentAt,
            long sentAtWall) {
        boolean believed = reply.outcome() == ReleaseReply.Outcome.GRANTED_TO_SUCCESSOR;
        if (!believed && reply.outcome() != ReleaseReply.Outcome.GRANTED_UNCONFIRMED) {
            if (reply.outcome() == ReleaseReply.Outcome.QUEUED) {
                ticket.queued(this.clock.nanoTime());
                ticket.notOwner(new LineBase(sentAt, sentAtWall, reply.fencingToken()), this.claimLease);
            }
            return passOn(node, ticket);
        }
        QueueNode<Grant> next = this.queues.end(node);
        WaitingRequest waiter = next != null ? next.waiter() : null;
        if (next == null || waiter == null) {
            // All have given up meanwhile.
            ticket.owned();
            return this.cleanup.ofTicket(node.lockName(), ticket);
        }
        if (!believed
                || waiter.leaseMillis() != successor.leaseMillis()
                || !grantTo(next, waiter, ticket, reply.fencingToken(), sentAt, sentAtWall)) {
            // The store has to confirm the grant, or it does not suit this waiter, or it has ended: it asks itself.
            ticket.owned();
            next.callToAsk(ticket);
        }
        return OrphanCleanup.NOTHING_TO_AWAIT;
    }

    private boolean grantTo(
            QueueNode<Grant> next,
            WaitingRequest waiter,
            LineTicket ticket,
            long fencingToken,
            long sentAt,
            long sentAtWall) {
        if (this.losses.hasGivenUp()) {
            return false;
        }
        Grant grant = this.grants.create(
                waiter.request(),
                ticket.acquisitionId(),
                fencingToken,
                waiter.leaseMillis(),
                waiter.owner(),
                sentAt,
                sentAtWall);
        if (grant.hasEnded(this.clock)) {
            return false;
        }
        grant.setUnanswered(ticket.close());
        this.grants.count();
        next.granted(grant);
        this.grants.begin(grant, Kind.LOCAL, waiter.startedAt(), sentAt);
        next.complete(grant);
        return true;
    }
}
