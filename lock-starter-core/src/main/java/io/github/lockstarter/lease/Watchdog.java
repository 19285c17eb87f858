package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each lease when it is due: sends off its renewal, or declares it lost. Looking happens on the timer thread,
 * which needs no answer from anybody; renewing happens elsewhere. One timer stands for all leases, at the first due one.
 */
final class Watchdog implements RenewalAttempt.Outcome {

    private static final Log logger = LogFactory.getLog(Watchdog.class);

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final DueQueue<Grant> watched;

    private final Losses losses;

    private final LeaseEvents events;

    private final BackgroundRelease backgroundRelease;

    private final long leaseMillis;

    private final long intervalNanos;

    private final long attemptNanos;

    private final ReentrantLock planning = new ReentrantLock();

    private @Nullable ScheduledFuture<?> planned;

    private long plannedFor;

    Watchdog(
            LeaseClock clock,
            LockSettings settings,
            LockStore store,
            LockThreads threads,
            DueQueue<Grant> watched,
            Losses losses,
            LeaseEvents events,
            BackgroundRelease backgroundRelease) {
        this.clock = clock;
        this.store = store;
        this.threads = threads;
        this.watched = watched;
        this.losses = losses;
        this.events = events;
        this.backgroundRelease = backgroundRelease;
        this.leaseMillis = settings.watchdogTimeout().toMillis();
        this.intervalNanos = settings.renewInterval().toNanos();
        this.attemptNanos = Math.min(
                settings.commandTimeout().toNanos(),
                settings.watchdogTimeout().dividedBy(6).toNanos());
    }

    /** Looks after the grant from now on; it was sent for at that time. */
    void watch(Grant grant, long sentAt) {
        lookAt(grant, grant.wantsRenewal(sentAt) ? sentAt + jittered(this.intervalNanos) : grant.validUntil());
    }

    void unwatch(Grant grant) {
        this.watched.remove(grant);
    }

    /** What the grant wants has changed: looks at it again now. */
    void reconsider(Grant grant) {
        lookAt(grant, this.clock.nanoTime());
    }

    /** The grant is renewed from now on, or for longer than it was. */
    void reconsiderRenewal(Grant grant) {
        lookAt(grant, this.clock.nanoTime() + jittered(this.intervalNanos));
    }

    /**
     * Renews on the calling thread, for a nested hold that asks for more than is left.
     *
     * @throws LockStoreException if there was no usable answer; the lease is then what it was
     * @throws io.github.lockstarter.LockLostException if the lock is not ours any more
     */
    void renewNow(Grant grant, long leaseMillis) {
        Extension extension = new Extension(this);
        try (InterruptShield shield = new InterruptShield()) {
            do {
                renew(List.of(new RenewalAttempt(grant, leaseMillis, extension)));
            } while (!extension.isDone() && shield.caught());
        }
        extension.check(grant);
    }

    Duration lag() {
        long now = this.clock.nanoTime();
        return Duration.ofNanos(Math.max(0, now - this.watched.firstDue(now)));
    }

    private void lookAt(Grant grant, long due) {
        // No look may come later than the deadline, whatever else is planned.
        long at = due - grant.validUntil() > 0 ? grant.validUntil() : due;
        if (this.watched.put(grant, at)) {
            plan(at);
        }
        if (!grant.standing().isLive()) {
            this.watched.remove(grant);
        }
    }

    private void plan(long due) {
        this.planning.lock();
        try {
            if (this.planned == null || due - this.plannedFor < 0) {
                if (this.planned != null) {
                    this.planned.cancel(false);
                }
                this.plannedFor = due;
                this.planned = this.threads.later(this::look, due - this.clock.nanoTime());
            }
        } finally {
            this.planning.unlock();
        }
    }

    private void forgetPlan() {
        this.planning.lock();
        try {
            this.planned = null;
        } finally {
            this.planning.unlock();
        }
    }

    private void planNext() {
        long now = this.clock.nanoTime();
        long none = now + Long.MAX_VALUE / 2;
        long next = this.watched.firstDue(none);
        if (next != none) {
            plan(next);
        }
    }

    private void look() {
        Round round = new Round(this.clock.nanoTime());
        try {
            forgetPlan();
            for (Grant grant = this.watched.pollDue(round.now); grant != null; ) {
                lookGuarded(grant, round);
                grant = this.watched.pollDue(round.now);
            }
            if (!round.attempts.isEmpty()) {
                // What is due within the next moments goes along: fewer, fuller batches.
                long soon = round.now + this.intervalNanos / 20;
                for (Grant grant = this.watched.pollDue(soon); grant != null; grant = this.watched.pollDue(soon)) {
                    lookGuarded(grant, round);
                }
            }
            round.seen.forEach(Runnable::run);
            send(round.attempts);
        } catch (Throwable ex) {
            logger.error("The watchdog of distributed locks stumbled; it goes on.", ex);
        } finally {
            planNext();
        }
    }

    private void lookGuarded(Grant grant, Round round) {
        try {
            look(grant, round);
        } catch (Throwable ex) {
            // One lease must not cost the others their renewal; this one is looked at again, at its deadline at the
            // latest.
            logger.error("The watchdog stumbled over lock '" + grant.lockName() + "'; it goes on.", ex);
            round.seen.add(() -> lookAt(grant, round.now + this.attemptNanos));
        }
    }

    private void look(Grant grant, Round round) {
        long now = round.now;
        if (!grant.standing().isLive()) {
            return;
        }
        if (grant.hasEnded(this.clock)) {
            this.losses.declare(grant, grant.reasonOfEnd(now));
        } else if (grant.ownerDied() && grant.wantsRenewal(now)) {
            this.losses.declare(grant, LossReason.OWNER_DIED);
            this.backgroundRelease.ofGrant(grant);
        } else if (!grant.wantsRenewal(now)) {
            round.seen.add(() -> lookAt(grant, grant.validUntil()));
        } else if (grant.renewalInFlight && grant.renewalLateAt - now > 0) {
            round.seen.add(() -> lookAt(grant, grant.renewalLateAt));
        } else {
            if (grant.renewalInFlight) {
                atRisk(grant, null);
            }
            grant.renewalInFlight = true;
            grant.renewalLateAt = now + this.attemptNanos;
            round.attempts.add(new RenewalAttempt(grant, this.leaseMillis, this));
            round.seen.add(() -> lookAt(grant, grant.renewalLateAt));
        }
    }

    private void send(List<RenewalAttempt> attempts) {
        int size = this.store.renewalBatchSize();
        for (int from = 0; from < attempts.size(); from += size) {
            List<RenewalAttempt> batch = attempts.subList(from, Math.min(from + size, attempts.size()));
            this.threads.renew(() -> renew(batch));
        }
    }

    private void renew(List<RenewalAttempt> batch) {
        batch.forEach(attempt -> attempt.sending(this.clock));
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
        grant.renewalInFlight = false;
        grant.failedRenewals = 0;
        if (grant.standing().isLive()) {
            this.events.renewed(grant, attempt.sentAt());
            if (grant.recover()) {
                this.events.recovered(grant);
            }
            lookAt(grant, attempt.sentAt() + jittered(this.intervalNanos));
        }
    }

    @Override
    public void lost(RenewalAttempt attempt, LossReason reason) {
        Grant grant = attempt.grant();
        grant.renewalInFlight = false;
        if (grant.standing().isLive()) {
            this.events.renewalFailed(grant, attempt.sentAt(), reason, null);
            this.losses.declare(grant, reason);
        }
    }

    @Override
    public void failed(RenewalAttempt attempt, LockStoreException cause) {
        Grant grant = attempt.grant();
        grant.renewalInFlight = false;
        if (grant.standing().isLive()) {
            this.events.renewalFailed(grant, attempt.sentAt(), null, cause);
            atRisk(grant, cause);
            int failures = grant.failedRenewals + 1;
            grant.failedRenewals = failures;
            lookAt(grant, this.clock.nanoTime() + retryPause(failures));
        }
    }

    private void atRisk(Grant grant, @Nullable LockStoreException cause) {
        if (grant.atRisk()) {
            this.events.atRisk(grant, cause);
        }
    }

    /** Doubles from 50 ms to a twelfth of the lease: often enough that a short outage costs nothing. */
    private long retryPause(int failures) {
        long longest = TimeUnit.MILLISECONDS.toNanos(this.leaseMillis) / 12;
        long pause = TimeUnit.MILLISECONDS.toNanos(50) << Math.min(failures - 1, 10);
        return jittered(Math.min(pause, longest));
    }

    /** Up to a twentieth less, so that locks taken together are not renewed together for ever. */
    private static long jittered(long nanos) {
        return nanos - ThreadLocalRandom.current().nextLong(nanos / 20 + 1);
    }

    /** What one look at the queue finds; grants go back into the queue when it is over, lest they are met twice. */
    private static final class Round {

        private final long now;

        private final List<RenewalAttempt> attempts = new ArrayList<>();

        private final List<Runnable> seen = new ArrayList<>();

        Round(long now) {
            this.now = now;
        }
    }
}
