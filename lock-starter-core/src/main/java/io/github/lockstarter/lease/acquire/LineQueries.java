package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineBase;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.LineStatus;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.CompletionStage;

/**
 * Queries the line of the store for a ticket that has just been refused: with the owner and its token in the reply, a message
 * about a later grant can be believed. No caller waits for the reply, and a missing one costs nothing but that.
 */
public final class LineQueries {

    private static final LockLog logger = LockLog.of(LineQueries.class);

    private final LockStore store;

    private final LeaseClock clock;

    private final ClaimLease claimLease;

    private final InstanceDirectory instances;

    private final LoggedNames names;

    public LineQueries(
            LockStore store, LeaseClock clock, ClaimLease claimLease, InstanceDirectory instances, LoggedNames names) {
        this.store = store;
        this.clock = clock;
        this.claimLease = claimLease;
        this.instances = instances;
        this.names = names;
    }

    /**
     * Queries the line after a refusal; the reply is noted in the ticket and in the acquisition. The refusal itself proves
     * less: it may come from a server that is no longer the master.
     */
    void refused(Acquisition acquisition, LineTicket ticket) {
        String lockName = acquisition.request().lockName();
        long queriedAt = this.clock.nanoTime();
        long queriedAtWall = this.clock.currentTimeMillis();
        CompletionStage<LineStatus> reply = this.store.findInLine(lockName, ticket.acquisitionId());
        if (reply != null) {
            CompletionStage<?> unused = reply.whenComplete((status, failure) -> {
                if (failure == null) {
                    answered(acquisition, ticket, queriedAt, queriedAtWall, status);
                } else if (logger.isDebugEnabled()) {
                    logger.debug("No reply about the line of lock '" + this.names.of(lockName) + "'", failure);
                }
            });
        }
    }

    private void answered(
            Acquisition acquisition, LineTicket ticket, long queriedAt, long queriedAtWall, LineStatus status) {
        StoredLock lock = status.lock();
        String owner = lock != null ? lock.owner() : null;
        if (lock != null && owner != null && !isHeldBy(lock, ticket.acquisitionId())) {
            acquisition.heldAs(lock);
            // Of several holders one is named.
            this.instances.seen(LockHolders.firstOf(lock, owner));
        }
        if (status.inLine() && lock != null) {
            ticket.notOwner(new LineBase(queriedAt, queriedAtWall, lock.fencingToken()), this.claimLease);
        }
    }

    private static boolean isHeldBy(StoredLock lock, String acquisitionId) {
        return acquisitionId.equals(lock.owner())
                || lock.holders().stream().anyMatch(holder -> acquisitionId.equals(holder.acquisitionId()));
    }
}
