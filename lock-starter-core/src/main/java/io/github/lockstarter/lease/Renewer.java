package io.github.lockstarter.lease;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LoggedNames;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends renewals to the store in batches, and takes each answer for what it means to its grant alone. */
final class Renewer implements RenewalAttempt.Outcome {

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final LeaseEvents events;

    private final Losses losses;

    private final Watchdog watchdog;

    private final RenewalPace pace;

    private final LoggedNames names;

    private final long leaseMillis;

    private final long answerMillis;

    Renewer(LockEngine engine, Watchdog watchdog, RenewalPace pace) {
        this.clock = engine.clock();
        this.store = engine.store();
        this.threads = engine.threads();
        this.events = engine.events();
        this.losses = engine.losses();
        this.watchdog = watchdog;
        this.pace = pace;
        this.names = engine.names();
        this.leaseMillis = engine.settings().watchdogTimeout().toMillis();
        this.answerMillis = 2 * engine.settings().commandTimeout().toMillis();
    }

    RenewalAttempt attempt(Grant grant) {
        return new RenewalAttempt(grant, this.leaseMillis, this);
    }

    /** How many attempts go together. */
    int batchSize() {
        return this.store.renewalBatchSize();
    }

    /** Sends the attempts off, on another thread; the next renewal of all of them follows after that time. */
    void send(List<RenewalAttempt> batch, long interval) {
        this.threads.renew(() -> renewWanted(batch, interval));
    }

    /**
     * Renews on the calling thread, for a nested hold that asks for more than is left.
     *
     * @throws LockStoreException if there was no usable answer; the lease is then what it was
     * @throws LockLostException if the lock is not ours any more
     */
    void renewNow(Grant grant, long leaseMillis) {
        try (InterruptShield shield = new InterruptShield()) {
            Extension extension;
            do {
                extension = new Extension(this);
                renew(List.of(new RenewalAttempt(grant, leaseMillis, extension)), this.pace.interval());
                extension.await(this.answerMillis, shield);
            } while (!extension.isAnswered() && shield.caught());
            extension.check(grant, this.names);
        }
    }

    /** Behind a store that hangs batches pile up; what nobody waits for any more is not sent when it comes back. */
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
            if (grant.standing() == Standing.AT_RISK) {
                this.events.recovered(grant, grant::recover);
            }
            this.watchdog.lookAt(grant, attempt.nextAt());
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
            this.watchdog.lookAt(grant, this.clock.nanoTime() + this.pace.retry(failures));
        }
    }

    /** A renewal has not come back in time. */
    void isLate(Grant grant) {
        atRisk(grant, null);
    }

    private void atRisk(Grant grant, @Nullable LockStoreException cause) {
        this.events.atRisk(grant, cause, grant::atRisk);
    }
}
