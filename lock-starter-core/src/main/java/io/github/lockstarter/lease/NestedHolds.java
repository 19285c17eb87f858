package io.github.lockstarter.lease;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.support.LeaseClock;

/** Enters locks that the thread holds already. A nested hold can extend the lease or its renewal, and never shortens it. */
final class NestedHolds {

    private final LeaseClock clock;

    private final LeaseTerms terms;

    private final Renewer renewer;

    private final CheckSchedule checks;

    NestedHolds(LeaseClock clock, LeaseTerms terms, Renewer renewer, CheckSchedule checks) {
        this.clock = clock;
        this.terms = terms;
        this.renewer = renewer;
        this.checks = checks;
    }

    /** Enters again; costs a command to the store only if the request asks for a longer lease than is left. */
    void enter(Hold hold, LockRequest request) {
        hold.lease().ensureHeld();
        Grant grant = hold.grant();
        long now = this.clock.nanoTime();
        long renewUntil = this.terms.renewUntil(request, now);
        boolean longer = isLater(renewUntil, grant.renewUntil());
        boolean renewedAlready = renewUntil != Grant.NOT_RENEWED && grant.renewUntil() != Grant.NOT_RENEWED;
        long leaseMillis = this.terms.leaseMillis(request);
        if (!renewedAlready && LeaseTerms.usableNanos(leaseMillis) > grant.remaining(this.clock)) {
            this.renewer.renewNow(grant, leaseMillis);
        }
        hold.enter();
        grant.keep(request.minHold(), now);
        if (longer) {
            hold.renewUntil(renewUntil);
            this.checks.renewAfterInterval(grant);
        }
    }

    private static boolean isLater(long renewUntil, long than) {
        if (renewUntil == Grant.NOT_RENEWED || than == Grant.UNCAPPED) {
            return false;
        }
        return renewUntil == Grant.UNCAPPED || than == Grant.NOT_RENEWED || renewUntil - than > 0;
    }
}
