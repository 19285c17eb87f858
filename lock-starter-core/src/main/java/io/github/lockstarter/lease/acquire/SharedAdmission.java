package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.release.PermitHandOff;
import io.github.lockstarter.lease.release.Succession;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Admits waiters of this JVM to shared grants: a reader that arrives joins one that is there, and a grant of the store calls
 * those that waited behind it.
 */
public final class SharedAdmission {

    private final LocalQueues<Grant> queues;

    private final SharedGrants shared;

    private final PermitHandOff permits;

    private final Succession succession;

    public SharedAdmission(
            LocalQueues<Grant> queues, SharedGrants shared, PermitHandOff permits, Succession succession) {
        this.queues = queues;
        this.shared = shared;
        this.permits = permits;
        this.succession = succession;
    }

    /**
     * Returns the permits that another thread of this JVM has offered to the waiter of the node; null: there are none. The
     * ticket then passes on to the next waiter, with its position in the store's line.
     */
    @Nullable
    Grant takeOffer(QueueNode<Grant> node, LineTicket ticket, WaitingRequest waiter) {
        Grant offered = this.permits.take(ticket, waiter);
        if (offered != null) {
            ticket.passedOn();
            CompletionStage<?> unused = this.succession.passOn(node, ticket);
        }
        return offered;
    }

    /** Begins a grant that shares one of this JVM; null: the acquisition must wait in its queue. */
    @Nullable
    SharedGrant join(WaitingRequest waiter) {
        return this.shared.join(waiter.request(), waiter.owner(), waiter.startedAt());
    }

    /**
     * Notes a grant of the store. Its node leaves the queue, because other grants may exist beside it: readers that waited
     * behind it join it, and the first one that cannot asks the store under a ticket of its own.
     */
    void granted(QueueNode<Grant> node, SharedGrant grant) {
        this.shared.began(grant);
        QueueNode<Grant> next = this.queues.end(node);
        while (next != null) {
            WaitingRequest waiter = next.waiter();
            SharedGrant member = waiter != null ? join(waiter) : null;
            if (member == null) {
                next.callToAsk(this.queues.newTicket(next));
                return;
            }
            QueueNode<Grant> following = this.queues.end(next);
            next.complete(member);
            next = following;
        }
    }
}
