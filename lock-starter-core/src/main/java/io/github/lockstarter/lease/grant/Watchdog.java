package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LogQueue;
import io.github.lockstarter.text.LockLog;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks each lease when it is due: has it renewed, or declares it lost.
 *
 * <p>Implementation note. Rounds run one after the other on the timer thread, which never waits for the store, for an
 * appender or for user code; renewals are sent by other threads ({@link Renewer}). So a store that hangs can block
 * renewals, but not the detection of losses: a lease is declared lost at its deadline by the clocks of this JVM alone.
 *
 * <p>A grant that is taken out of the {@link CheckSchedule} is put back within the same round unless it has ended, at its
 * deadline at the latest, so that every live grant is scheduled whenever no round is running. The check and the end of a
 * grant race: {@link CheckSchedule#check} adds first and looks at the state after that, whereas a release or a loss
 * changes the state first and removes after that, so that one of the two removes the grant.
 *
 * <p>Leases that are due within the next {@link RenewalSchedule#coalescingWindow()} are renewed with those that are due
 * now, in batches of one script call for each schedule. All {@code long} values are nanoseconds of {@link LeaseClock#nanoTime()}, compared
 * by their difference.
 */
public final class Watchdog {

    private static final LockLog logger = LockLog.of(Watchdog.class);

    private final LeaseClock clock;

    private final CheckSchedule schedule;

    private final ByName<RenewalSchedule> renewals;

    private final Renewer renewer;

    private final Losses losses;

    private final LogQueue log;

    public Watchdog(
            LeaseClock clock,
            CheckSchedule schedule,
            ByName<RenewalSchedule> renewals,
            Renewer renewer,
            Losses losses,
            LogQueue log) {
        this.clock = clock;
        this.schedule = schedule;
        this.renewals = renewals;
        this.renewer = renewer;
        this.losses = losses;
        this.log = log;
    }

    /** Runs a round: checks all leases that are due. Called on the timer thread, by one thread at a time. */
    public void checkDue() {
        long now = this.clock.nanoTime();
        Round round = new Round(now, now + this.renewals.common().coalescingWindow());
        try {
            this.schedule.forgetPlan();
            checkAll(round, round.now);
            if (!round.batches.isEmpty()) {
                // Something is renewed anyway: fewer, fuller batches.
                checkAll(round, round.soon);
            }
            round.again.forEach(Runnable::run);
            round.batches.forEach(this::send);
        } catch (Throwable ex) {
            this.log.add(() ->
                    logger.error("The watchdog of distributed locks failed in a round; the next round follows.", ex));
        } finally {
            this.schedule.planNext();
        }
    }

    private void checkAll(Round round, long due) {
        for (Grant grant = this.schedule.pollDue(due); grant != null; grant = this.schedule.pollDue(due)) {
            try {
                check(grant, round);
            } catch (Throwable ex) {
                // One lease must not cost the others their renewal.
                Grant failed = grant;
                this.log.add(() -> logger.error(
                        "The watchdog failed to check lock '" + this.losses.shownName(failed)
                                + "'; it is checked again soon.",
                        ex));
                round.again.add(() -> this.schedule.check(
                        failed, round.now + this.renewals.common().lateAfter()));
            }
        }
    }

    private void check(Grant grant, Round round) {
        long now = round.now;
        if (!grant.isLive()) {
            return;
        }
        if (grant.hasEnded(this.clock)) {
            this.losses.declare(grant, grant.reasonOfEnd(now));
        } else if (grant.ownerDied() && grant.wantsRenewal(now)) {
            this.losses.declare(grant, LossReason.OWNER_DIED);
        } else if (!grant.needsRenewal(now)) {
            checkAgain(grant, grant.validUntil(), round);
        } else if (grant.renewal() != null && grant.renewalLateAt() - now > 0) {
            checkAgain(grant, grant.renewalLateAt(), round);
        } else {
            renew(grant, round);
        }
    }

    private void renew(Grant grant, Round round) {
        if (grant.renewal() != null) {
            this.renewer.isLate(grant);
        }
        Batch batch = round.batch(this.renewals.of(grant.request().name()));
        batch.attempts.add(this.renewer.begin(grant, round.now));
        checkAgain(grant, grant.renewalLateAt(), round);
        if (batch.attempts.size() >= this.renewer.batchSize()) {
            send(batch);
        }
    }

    private void send(Batch batch) {
        if (!batch.attempts.isEmpty()) {
            this.renewer.send(batch.attempts, batch.interval);
            batch.attempts = new ArrayList<>();
        }
    }

    /** Schedules the grant again; at the end of the round if it would otherwise be met in it once more. */
    private void checkAgain(Grant grant, long due, Round round) {
        if (due - round.soon > 0 && grant.validUntil() - round.soon > 0) {
            this.schedule.check(grant, due);
        } else {
            round.again.add(() -> this.schedule.check(grant, due));
        }
    }

    /** The state of one round. */
    private static final class Round {

        private final long now;

        private final long soon;

        /** One for each schedule that has been met; few locks have one of their own. */
        private final List<Batch> batches = new ArrayList<>(1);

        private final List<Runnable> again = new ArrayList<>();

        Round(long now, long soon) {
            this.now = now;
            this.soon = soon;
        }

        Batch batch(RenewalSchedule schedule) {
            for (Batch batch : this.batches) {
                if (batch.schedule.isSameAs(schedule)) {
                    return batch;
                }
            }
            Batch batch = new Batch(schedule);
            this.batches.add(batch);
            return batch;
        }
    }

    /** Renewals of one round that are sent together. */
    private static final class Batch {

        private final RenewalSchedule schedule;

        /** The same for all: leases that are renewed together stay together, and full batches are cheaper. */
        private final long interval;

        private List<RenewalAttempt> attempts = new ArrayList<>();

        Batch(RenewalSchedule schedule) {
            this.schedule = schedule;
            this.interval = schedule.interval();
        }
    }
}
