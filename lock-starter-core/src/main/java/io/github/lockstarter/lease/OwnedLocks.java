package io.github.lockstarter.lease;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Holds that belong to threads: entering, entering again, leaving. */
final class OwnedLocks {

    private final LockEngine engine;

    private final ThreadHolds holds;

    OwnedLocks(LockEngine engine, ThreadHolds holds) {
        this.engine = engine;
        this.holds = holds;
    }

    /** Enters the lock; throws if it is not granted. */
    Hold enter(LockRequest request, Duration waitTime, @Nullable InterruptShield shield) throws InterruptedException {
        Hold hold = this.holds.get(request.lockName());
        if (hold != null) {
            enterAgain(hold, request);
            return hold;
        }
        Acquisition acquisition = this.engine.acquisition(request, waitTime, Thread.currentThread());
        hold = acquire(acquisition, shield);
        if (hold == null) {
            throw acquisition.giveUp();
        }
        return hold;
    }

    /** Enters the lock; null if somebody else held it until the end of the wait. */
    @Nullable
    Hold tryEnter(LockRequest request, Duration waitTime, @Nullable InterruptShield shield)
            throws InterruptedException {
        Hold hold = this.holds.get(request.lockName());
        if (hold != null) {
            enterAgain(hold, request);
            return hold;
        }
        Acquisition acquisition = this.engine.acquisition(request, waitTime, Thread.currentThread());
        hold = acquire(acquisition, shield);
        if (hold == null) {
            acquisition.giveUpIfUnknown();
        }
        return hold;
    }

    private @Nullable Hold acquire(Acquisition acquisition, @Nullable InterruptShield shield)
            throws InterruptedException {
        Grant grant = this.engine.blocking().acquire(acquisition, shield);
        if (grant == null) {
            return null;
        }
        Hold hold = new Hold(new LeaseHandle(this.engine, grant, null));
        this.holds.put(hold);
        return hold;
    }

    private void enterAgain(Hold hold, LockRequest request) {
        hold.lease().ensureHeld();
        Grant grant = hold.grant();
        long now = this.engine.clock().nanoTime();
        long renewUntil = this.engine.renewUntil(request, now);
        boolean longer = isLater(renewUntil, grant.renewUntil());
        // Nothing nested may shorten the lease; what asks for more than is left, lengthens it, and that costs a
        // command.
        boolean renewedAlready = renewUntil != Grant.NOT_RENEWED && grant.renewUntil() != Grant.NOT_RENEWED;
        long leaseMillis = this.engine.leaseMillis(request);
        long wanted = TimeUnit.MILLISECONDS.toNanos(leaseMillis) - Belief.marginNanos(leaseMillis);
        if (!renewedAlready && wanted > grant.remaining(this.engine.clock())) {
            this.engine.watchdog().renewer().renewNow(grant, leaseMillis);
        }
        hold.enter();
        grant.keep(request.minHold(), now);
        if (longer) {
            hold.renewUntil(renewUntil);
            this.engine.watchdog().reconsiderRenewal(grant);
        }
    }

    private static boolean isLater(long renewUntil, long than) {
        if (renewUntil == Grant.NOT_RENEWED || than == Grant.UNCAPPED) {
            return false;
        }
        return renewUntil == Grant.UNCAPPED || than == Grant.NOT_RENEWED || renewUntil - than > 0;
    }

    /**
     * Leaves the innermost hold; the last one releases the grant.
     *
     * @return why the lease was lost; null if it was not
     */
    @Nullable
    LossReason leave(Hold hold) {
        return leave(hold, hold.count());
    }

    /**
     * Leaves one of the holds; the last one releases the grant. A hold inside of it may outlive it, as that of a
     * transaction does.
     *
     * @param number counted from the outermost hold, which is 1
     * @return why the lease was lost; null if it was not
     */
    @Nullable
    LossReason leave(Hold hold, int number) {
        if (hold.count() > 1) {
            hold.leave(number);
            this.engine.losses().check(hold.grant());
        } else {
            this.holds.remove(hold);
            hold.lease().release();
        }
        return hold.grant().standing().lossReason();
    }

    @Nullable
    Hold current(String lockName) {
        return this.holds.get(lockName);
    }
}
