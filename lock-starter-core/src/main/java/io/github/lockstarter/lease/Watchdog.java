package io.github.lockstarter.lease;

import io.github.lockstarter.LossReason;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each lease when it is due: has it renewed, or declares it lost. Looking happens on the timer thread, which
 * needs no answer from anybody; renewing happens elsewhere. One timer stands for all leases, at the first due one.
 */
final class Watchdog {

    private static final LockLog logger = LockLog.of(Watchdog.class);

    private final LeaseClock clock;

    private final LockThreads threads;

    private final LoggedNames names;

    private final DueQueue<Grant> watched;

    private final Losses losses;

    private final BackgroundRelease backgroundRelease;

    private final RenewalPace pace;

    private final Renewer renewer;

    private final ReentrantLock planning = new ReentrantLock();

    private @Nullable ScheduledFuture<?> planned;

    private long plannedFor;

    Watchdog(LockEngine engine, DueQueue<Grant> watched) {
        this.clock = engine.clock();
        this.threads = engine.threads();
        this.names = engine.names();
        this.watched = watched;
        this.losses = engine.losses();
        this.backgroundRelease = engine.backgroundRelease();
        this.pace = new RenewalPace(engine.settings());
        this.renewer = new Renewer(engine, this, this.pace);
    }

    /** Looks after the grant from now on; it was sent for at that time. */
    void watch(Grant grant, long sentAt) {
        lookAt(grant, grant.wantsRenewal(sentAt) ? sentAt + this.pace.interval() : grant.validUntil());
    }

    void unwatch(Grant grant) {
        this.watched.remove(grant);
    }

    /** Looks after a grant that goes on from another, at the time at which it would have looked at that one. */
    void watchInstead(Grant from, Grant grant) {
        if (this.watched.replace(from, grant)) {
            this.losses.check(grant);
        } else {
            reconsider(grant);
        }
    }

    /** What the grant wants has changed: looks at it again now. */
    void reconsider(Grant grant) {
        lookAt(grant, this.clock.nanoTime());
    }

    /** The grant is renewed from now on, or for longer than it was. */
    void reconsiderRenewal(Grant grant) {
        lookAt(grant, this.clock.nanoTime() + this.pace.interval());
    }

    /** Looks at the grant at that time, or at its deadline if that is earlier: no look may come later than that. */
    void lookAt(Grant grant, long due) {
        long at = due - grant.validUntil() > 0 ? grant.validUntil() : due;
        if (this.watched.put(grant, at)) {
            plan(at);
        }
        // A release, a loss or the end of the registry may have come in between.
        this.losses.check(grant);
        if (!grant.standing().isLive()) {
            this.watched.remove(grant);
        }
    }

    Renewer renewer() {
        return this.renewer;
    }

    Duration lag() {
        long now = this.clock.nanoTime();
        return Duration.ofNanos(now - this.watched.firstLate(now));
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
        long now = this.clock.nanoTime();
        // What is due within the next moments goes along if anything is renewed: fewer, fuller batches.
        Round round = new Round(now, now + this.pace.moment(), this.pace.interval());
        try {
            forgetPlan();
            for (Grant grant = this.watched.pollDue(round.now); grant != null; ) {
                lookGuarded(grant, round);
                grant = this.watched.pollDue(round.now);
            }
            if (round.sent || !round.attempts.isEmpty()) {
                for (Grant grant = this.watched.pollDue(round.soon); grant != null; ) {
                    lookGuarded(grant, round);
                    grant = this.watched.pollDue(round.soon);
                }
            }
            round.again.forEach(Runnable::run);
            send(round);
        } catch (Throwable ex) {
            this.threads.log(() -> logger.error("The watchdog of distributed locks failed; it goes on.", ex));
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
            this.threads.log(() -> logger.error(
                    "The watchdog failed to check lock '" + this.names.of(grant.lockName())
                            + "'; it is checked again soon.",
                    ex));
            round.again.add(() -> lookAt(grant, round.now + this.pace.attempt()));
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
            lookAgain(grant, grant.validUntil(), round);
        } else if (grant.renewal() != null && grant.renewalLateAt() - now > 0) {
            lookAgain(grant, grant.renewalLateAt(), round);
        } else {
            if (grant.renewal() != null) {
                this.renewer.isLate(grant);
            }
            RenewalAttempt attempt = this.renewer.attempt(grant);
            grant.renewalSent(attempt, now + this.pace.attempt());
            round.attempts.add(attempt);
            lookAgain(grant, grant.renewalLateAt(), round);
            if (round.attempts.size() >= this.renewer.batchSize()) {
                send(round);
            }
        }
    }

    private void send(Round round) {
        if (!round.attempts.isEmpty()) {
            this.renewer.send(round.attempts, round.interval);
            round.attempts = new ArrayList<>();
            round.sent = true;
        }
    }

    /** Puts the grant back; when the round is over if it would be met in it once more. */
    private void lookAgain(Grant grant, long due, Round round) {
        if (due - round.soon > 0 && grant.validUntil() - round.soon > 0) {
            lookAt(grant, due);
        } else {
            round.again.add(() -> lookAt(grant, due));
        }
    }

    /** What one look at the queue finds. */
    private static final class Round {

        private final long now;

        private final long soon;

        /** One for all: what is renewed together stays together, and many locks in a row are cheaper than here and there. */
        private final long interval;

        private List<RenewalAttempt> attempts = new ArrayList<>();

        private boolean sent;

        private final List<Runnable> again = new ArrayList<>();

        Round(long now, long soon, long interval) {
            this.now = now;
            this.soon = soon;
            this.interval = interval;
        }
    }
}
