package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.LeaseClock;

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

    public static void sendRenewal(Grant grant, LeaseClock clock) {
        grant.renewalSent(new RenewalAttempt(grant, 10_000, null), clock.nanoTime());
    }

    public static void extend(Grant grant, LeaseClock clock, long leaseMillis) {
        grant.extend(clock.nanoTime(), clock.currentTimeMillis(), leaseMillis);
    }
}
