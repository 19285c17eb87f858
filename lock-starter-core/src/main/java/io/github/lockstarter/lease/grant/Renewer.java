package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.InterruptShield;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.store.LockStore;
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

    private final RenewalSchedule schedule;

    public Renewer(
            LeaseClock clock,
            LockStore store,
            LockThreads threads,
            LeaseEvents events,
            Losses losses,
            CheckSchedule checks,
            RenewalSchedule schedule) {
        this.clock = clock;
        this.store = store;
        this.threads = threads;
        this.events = events;
        this.losses = losses;
        this.checks = checks;
        this.schedule = schedule;
    }

    RenewalAttempt attempt(Grant grant) {
        return new RenewalAttempt(grant, this.schedule.leaseMillis(), this);
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
            AwaitedRenewal renewal;
            do {
                renewal = new AwaitedRenewal(this);
                renew(List.of(new RenewalAttempt(grant, leaseMillis, renewal)), this.schedule.interval());
                renewal.await(this.schedule.awaitMillis(), shield);
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
    public void renewed(RenewalAttempt attempt) {
        Grant grant = attempt.grant();
        grant.renewalSucceeded();
        if (this.events.renewed(grant, attempt.sentAt())) {
            if (grant.state() == GrantState.AT_RISK) {
                this.events.recovered(grant, grant::recover);
            }
            this.checks.check(grant, attempt.nextAt());
        }
    }

    @Override
    public void lost(RenewalAttempt attempt, LossReason reason) {
        Grant grant = attempt.grant();
        if (this.events.renewalFailed(grant, attempt.sentAt(), reason, null)) {
            this.losses.declare(grant, reason);
        }
    }

    @Override
    public void failed(RenewalAttempt attempt, LockStoreException cause) {
        Grant grant = attempt.grant();
        if (this.events.renewalFailed(grant, attempt.sentAt(), null, cause)) {
            int failures = grant.renewalFailed();
            atRisk(grant, cause);
            this.checks.check(grant, this.clock.nanoTime() + this.schedule.retry(failures));
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
