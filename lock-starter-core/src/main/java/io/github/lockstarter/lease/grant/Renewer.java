package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Renewal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends renewals to the store in batches, and applies each reply to its grant. Safe for use by several threads. */
public final class Renewer implements RenewalAttempt.Outcome {

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final LeaseEvents events;

    private final Losses losses;

    private final CheckSchedule checks;

    private final ByName<RenewalSchedule> schedules;

    public Renewer(
            LeaseClock clock,
            LockStore store,
            LockThreads threads,
            LeaseEvents events,
            Losses losses,
            CheckSchedule checks,
            ByName<RenewalSchedule> schedules) {
        this.clock = clock;
        this.store = store;
        this.threads = threads;
        this.events = events;
        this.losses = losses;
        this.checks = checks;
        this.schedules = schedules;
    }

    /** Begins an attempt, which must be sent, and notes it in the grant. */
    RenewalAttempt begin(Grant grant, long now) {
        RenewalSchedule schedule = schedule(grant);
        long leaseMillis = grant.isConfirmed() ? schedule.leaseMillis() : schedule.leaseMillis(grant.request());
        RenewalAttempt attempt = new RenewalAttempt(grant, leaseMillis, this);
        grant.renewalSent(attempt, now + lateAfter(grant));
        return attempt;
    }

    /** Creates a renewal of a lease whose grant has not begun. It is sent by {@link #sendAhead}, before or after that. */
    public Renewal ahead(String lockName, String acquisitionId, long leaseMillis) {
        return new RenewalAttempt(lockName, acquisitionId, leaseMillis, this);
    }

    /**
     * Sends such a renewal without waiting for the reply, which is treated as that of any renewal once the grant begins.
     *
     * @param request to which the lock is expected to be granted
     */
    public void sendAhead(Renewal renewal, LockRequest request) {
        RenewalAttempt attempt = (RenewalAttempt) renewal;
        long now = this.clock.nanoTime();
        long interval = this.schedules.of(request.name()).interval();
        attempt.sending(now, this.clock.currentTimeMillis(), now + interval);
        try {
            if (!this.store.renewLater(attempt)) {
                send(List.of(attempt), interval);
            }
        } catch (LockStoreException ex) {
            attempt.failed(ex);
        }
    }

    /** Returns whether the store has refused such a renewal, so that no grant can begin with it. */
    public boolean isRefused(Renewal renewal) {
        return ((RenewalAttempt) renewal).lossReason() != null;
    }

    /**
     * Expects the reply to a renewal that confirms the grant; the watchdog repeats the renewal if there is none in time.
     *
     * @param renewal as created by {@link #ahead}
     */
    void awaitConfirmation(Grant grant, Renewal renewal) {
        RenewalAttempt attempt = (RenewalAttempt) renewal;
        long now = this.clock.nanoTime();
        grant.renewalSent(attempt, now + lateAfter(grant));
        this.checks.check(grant, grant.renewalLateAt());
        attempt.attachTo(grant);
    }

    private RenewalSchedule schedule(Grant grant) {
        return this.schedules.of(grant.request().name());
    }

    private long lateAfter(Grant grant) {
        RenewalSchedule schedule = schedule(grant);
        return grant.isConfirmed() ? schedule.lateAfter() : schedule.lateAfter(grant.remaining(this.clock));
    }

    /** Lets the reply to an open renewal apply to the successor of a grant that was handed over. */
    void handedOver(Grant from, Grant successor) {
        if (successor.renewal() instanceof RenewalAttempt attempt && !attempt.moveTo(from, successor)) {
            successor.catchUpWith(from, attempt);
            LossReason reason = attempt.lossReason();
            if (reason != null) {
                lost(successor, attempt, reason);
            }
        }
    }

    /** Renews all grants as soon as possible: their owners must be notified if the server does not have them. */
    public void renewAll() {
        this.checks.checkAll();
    }

    /** Returns how many attempts are sent together. */
    int batchSize() {
        return this.store.renewalBatchSize();
    }

    /** Sends the attempts on another thread; all of them are renewed next after {@code interval} nanoseconds. */
    void send(List<RenewalAttempt> batch, long interval) {
        this.threads.renew(() -> renewWanted(batch, interval));
    }

    /**
     * Renews on the calling thread, so that the lease lasts for {@code leaseMillis} from now.
     *
     * @throws LockStoreException if there was no usable reply; the lease is then unchanged
     * @throws LockLostException if the lock is lost
     */
    public void renewNow(Grant grant, long leaseMillis) {
        try (InterruptShield shield = new InterruptShield()) {
            RenewalSchedule schedule = schedule(grant);
            AwaitedRenewal renewal;
            do {
                renewal = new AwaitedRenewal(this);
                renew(List.of(new RenewalAttempt(grant, leaseMillis, renewal)), schedule.interval());
                renewal.await(schedule.awaitMillis(), shield);
            } while (!renewal.isAnswered() && shield.caught());
            renewal.check(grant, this.losses);
        }
    }

    /** While a store hangs, batches pile up; attempts that have been given up are not sent when it comes back. */
    private void renewWanted(List<RenewalAttempt> batch, long interval) {
        List<RenewalAttempt> wanted = new ArrayList<>(batch.size());
        for (RenewalAttempt attempt : batch) {
            if (attempt.isWanted()) {
                wanted.add(attempt);
            }
        }
        if (!wanted.isEmpty()) {
            renew(wanted, interval);
        }
    }

    private void renew(List<RenewalAttempt> batch, long interval) {
        long now = this.clock.nanoTime();
        long wall = this.clock.currentTimeMillis();
        for (RenewalAttempt attempt : batch) {
            attempt.sending(now, wall, now + interval);
        }
        try {
            this.store.renew(batch);
        } catch (LockStoreException ex) {
            batch.forEach(attempt -> attempt.failed(ex));
        } catch (Throwable ex) {
            LockStoreException cause = new LockStoreException("The lock store failed in a renewal.", ex, true, true);
            batch.forEach(attempt -> attempt.failed(cause));
        }
    }

    @Override
    public void renewed(Grant grant, RenewalAttempt attempt) {
        grant.renewalSucceeded(attempt.leaseMillis() >= schedule(grant).leaseMillis(grant.request()));
        if (this.events.renewed(grant, attempt.sentAt())) {
            if (grant.state() == GrantState.AT_RISK) {
                this.events.recovered(grant, grant::recover);
            }
            this.checks.check(grant, this.checks.dueAfter(attempt.sentAt(), attempt.nextAt()));
        }
    }

    @Override
    public void lost(Grant grant, RenewalAttempt attempt, LossReason reason) {
        if (this.events.renewalFailed(grant, attempt.sentAt(), reason, null)) {
            this.losses.declare(grant, reason);
        }
    }

    @Override
    public void failed(Grant grant, RenewalAttempt attempt, LockStoreException cause) {
        if (this.events.renewalFailed(grant, attempt.sentAt(), null, cause)) {
            int failures = grant.renewalFailed();
            atRisk(grant, cause);
            this.checks.check(grant, this.clock.nanoTime() + schedule(grant).retry(failures));
        }
    }

    /** Reports that the reply to a renewal is late. */
    void isLate(Grant grant) {
        atRisk(grant, null);
    }

    private void atRisk(Grant grant, @Nullable LockStoreException cause) {
        this.events.atRisk(grant, cause, grant::atRisk);
    }
}
