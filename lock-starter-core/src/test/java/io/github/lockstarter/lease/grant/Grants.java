package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.Renewal;

/** Creates grants and makes their transitions, for tests of other packages. */
public final class Grants {

    private Grants() {}

    public static Grant grant(LeaseClock clock, String lockName, String acquisitionId, long fencingToken, long lease) {
        Grant grant = new Grant(LockRequest.of(lockName), acquisitionId, fencingToken, clock.nanoTime(), null);
        grant.extend(clock.nanoTime(), clock.currentTimeMillis(), lease);
        return grant;
    }

    public static void atRisk(Grant grant) {
        grant.atRisk();
    }

    public static void recover(Grant grant) {
        grant.recover();
    }

    public static void lose(Grant grant, LossReason reason) {
        grant.lose(reason);
    }

    /** Begins a renewal, whose reply the caller makes up and which changes nothing but the grant. */
    public static Renewal sendRenewal(Grant grant, LeaseClock clock) {
        RenewalAttempt attempt = new RenewalAttempt(grant, 10_000, new RenewalAttempt.Outcome() {

            @Override
            public void renewed(Grant target, RenewalAttempt renewed) {
                target.renewalSucceeded(true);
            }

            @Override
            public void lost(Grant target, RenewalAttempt lost, LossReason reason) {
                target.lose(reason);
            }

            @Override
            public void failed(Grant target, RenewalAttempt failed, LockStoreException cause) {
                target.renewalFailed();
            }
        });
        attempt.sending(clock.nanoTime(), clock.currentTimeMillis(), clock.nanoTime());
        grant.renewalSent(attempt, clock.nanoTime());
        return attempt;
    }

    public static void extend(Grant grant, LeaseClock clock, long leaseMillis) {
        grant.extend(clock.nanoTime(), clock.currentTimeMillis(), leaseMillis);
    }
}
