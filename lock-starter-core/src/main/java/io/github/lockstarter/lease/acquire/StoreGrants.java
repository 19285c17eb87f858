package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.queue.Claim;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.Renewal;
import org.jspecify.annotations.Nullable;

/** Begins the grants that the store gives to acquisitions. */
public final class StoreGrants {

    private final LeaseClock clock;

    private final GrantFactory grants;

    private final Losses losses;

    private final AcquireReports reports;

    private final SharedAdmission shared;

    public StoreGrants(
            LeaseClock clock, GrantFactory grants, Losses losses, AcquireReports reports, SharedAdmission shared) {
        this.clock = clock;
        this.grants = grants;
        this.losses = losses;
        this.reports = reports;
        this.shared = shared;
    }

    /**
     * Begins a grant, which ends the ticket.
     *
     * @param from what has brought the grant without a command of this attempt; null: nothing
     * @param sentAt nanoseconds at which the command was sent, from which the lease is counted
     * @param sentAtWall the same in milliseconds of the wall clock
     * @throws LockException if the registry has stopped, or the reply came when the lease was over
     */
    Grant begin(
            Acquisition acquisition,
            QueueNode<Grant> node,
            LineTicket ticket,
            @Nullable Claim from,
            long fencingToken,
            long sentAt,
            long sentAtWall) {
        if (this.losses.hasGivenUp()) {
            // Grants are no longer renewed, released or cleaned up: this one expires.
            throw this.reports.stopped(acquisition);
        }
        Renewal confirmation = from != null ? from.confirmation() : null;
        long leaseMillis = acquisition.leaseMillis();
        Grant grant = this.grants.create(
                acquisition.request(),
                ticket.acquisitionId(),
                fencingToken,
                from != null ? Math.min(leaseMillis, from.leaseMillis()) : leaseMillis,
                acquisition.owner(),
                sentAt,
                sentAtWall);
        if (confirmation != null) {
            grant.setUnconfirmed();
        }
        grant.setUnanswered(ticket.close());
        if (grant.hasEnded(this.clock)) {
            throw this.reports.tooLate(acquisition);
        }
        this.grants.count();
        SharedGrant sharing = grant instanceof SharedGrant shares ? shares : null;
        if (sharing == null) {
            node.granted(grant);
        }
        if (confirmation != null) {
            this.grants.beginUnconfirmed(grant, acquisition.startedAt(), confirmation);
        } else {
            Kind handedOver = ticket.wasHandedOver() ? Kind.REMOTE : ticket.wasOwned() ? Kind.LOCAL : null;
            this.grants.begin(grant, handedOver, acquisition.startedAt(), sentAt);
        }
        if (sharing != null) {
            this.shared.granted(node, sharing);
        }
        return grant;
    }
}
