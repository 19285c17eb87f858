package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Creates grants from replies of the store and from grants that are handed over, and begins them: counted, reported and
 * watched. A grant that is created but not begun has no effect.
 */
public final class GrantFactory {

    private final LeaseClock clock;

    private final LeaseTerms terms;

    private final LeaseEvents events;

    private final CheckSchedule checks;

    private final Renewer renewer;

    private final InFlightCounter live;

    public GrantFactory(
            LeaseClock clock,
            LeaseTerms terms,
            LeaseEvents events,
            CheckSchedule checks,
            Renewer renewer,
            InFlightCounter live) {
        this.clock = clock;
        this.terms = terms;
        this.events = events;
        this.checks = checks;
        this.renewer = renewer;
        this.live = live;
    }

    /**
     * Creates a grant of the store.
     *
     * @param owner thread that it belongs to; null: none
     * @param sentAt nanoseconds at which the command was sent, from which the lease is counted
     * @param sentAtWall the same in milliseconds of the wall clock
     */
    public Grant create(
            LockRequest request,
            String acquisitionId,
            long fencingToken,
            long leaseMillis,
            @Nullable Thread owner,
            long sentAt,
            long sentAtWall) {
        long now = this.clock.nanoTime();
        Grant grant = request.mode() == LockMode.WRITE
                ? new Grant(request, acquisitionId, fencingToken, now, owner)
                : new SharedGrant(request, acquisitionId, fencingToken, now, owner);
        grant.extend(sentAt, sentAtWall, leaseMillis);
        grant.setRenewUntil(this.terms.renewUntil(request, now));
        return grant;
    }

    /** Creates a grant that continues the lease of another one, with the next fencing token. */
    public Grant successor(Grant from, LockRequest request, @Nullable Thread owner) {
        long now = this.clock.nanoTime();
        Grant grant = from instanceof SharedGrant shared
                ? new SharedGrant(shared, request, owner, now)
                : new Grant(from, request, now, owner);
        grant.setRenewUntil(this.terms.renewUntil(request, now));
        return grant;
    }

    /** Creates a grant that shares the lease and the token of another one, whose group it has joined. */
    SharedGrant member(SharedGrant first, LockRequest request, @Nullable Thread owner) {
        long now = this.clock.nanoTime();
        SharedGrant grant = new SharedGrant(first, request, now, owner);
        grant.setRenewUntil(this.terms.renewUntil(request, now));
        return grant;
    }

    /** Creates the grant of a reader that goes on with the lease of a writer. */
    public SharedGrant reader(Grant writer, String acquisitionId, LockRequest request) {
        long now = this.clock.nanoTime();
        SharedGrant reader = new SharedGrant(writer, acquisitionId, request, now);
        reader.setRenewUntil(this.terms.renewUntil(request, now));
        return reader;
    }

    /** Counts a grant as live. Precedes its publication, because a published grant may be declared lost at once. */
    public void count() {
        this.live.began();
    }

    /**
     * Begins a grant that has been counted.
     *
     * @param handedOver how the lock came from its last owner; null: it was free
     * @param startedAt nanoseconds at which the acquisition began
     * @param sentAt nanoseconds at which the command was sent
     */
    public void begin(Grant grant, @Nullable Kind handedOver, long startedAt, long sentAt) {
        if (handedOver != null) {
            this.events.handedOver(grant, handedOver);
        }
        this.events.acquired(grant, startedAt);
        this.checks.watch(grant, sentAt);
    }

    /** Begins a grant that has been counted, which a message has reported, and which that renewal confirms. */
    public void beginUnconfirmed(Grant grant, long startedAt, Renewal confirmation) {
        this.events.handedOver(grant, Kind.REMOTE);
        this.events.acquired(grant, startedAt);
        this.renewer.awaitConfirmation(grant, confirmation);
    }

    /** Begins a grant that takes the place of another one, which has ended: the number of live grants is the same. */
    public void beginInstead(Grant from, Grant grant, long startedAt) {
        this.events.handedOver(grant, Kind.LOCAL);
        this.events.acquired(grant, startedAt);
        this.checks.watchInstead(from, grant);
        this.renewer.handedOver(from, grant);
    }
}
