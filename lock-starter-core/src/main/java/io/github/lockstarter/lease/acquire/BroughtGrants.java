package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.queue.Claim;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.store.Renewal;
import org.jspecify.annotations.Nullable;

/** Finds grants that a message has brought to a ticket, so that its waiter need not ask the store. */
public final class BroughtGrants {

    private final ClaimLease claimLease;

    private final Renewer renewer;

    public BroughtGrants(ClaimLease claimLease, Renewer renewer) {
        this.claimLease = claimLease;
        this.renewer = renewer;
    }

    /** Returns, once, the grant with a lease of that length; null: there is none, or it has come too late. */
    @Nullable
    Claim take(LineTicket ticket, long leaseMillis) {
        Claim claim = ticket.takeClaim(leaseMillis);
        Renewal confirmation = claim != null ? claim.confirmation() : null;
        return claim == null || confirmation == null || isValid(claim, confirmation) ? claim : null;
    }

    private boolean isValid(Claim message, Renewal confirmation) {
        long usable = LeaseTerms.usableNanos(confirmation.leaseMillis());
        return this.claimLease.isEnoughLeft(message.sentAt(), message.sentAtWall(), usable)
                && !this.renewer.isRefused(confirmation);
    }
}
