package io.github.lockstarter.lease.grant;

import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.TimingWheel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Knows when each lease must be checked next, and starts the watchdog at the first of these times. One timer serves all
 * leases. A check is never due later than the deadline of its lease.
 */
public final class CheckSchedule {

    private final LeaseClock clock;

    private final LockThreads threads;

    private final TimingWheel<Grant> watched;

    private final Losses losses;

    private final ByName<RenewalSchedule> renewals;

    private final ReentrantLock planning = new ReentrantLock();

    private @Nullable ScheduledFuture<?> planned;

    private long plannedFor;

    /** When the store moved to another server the last time. */
    private volatile long movedAt;

    /** Set before the first grant is watched. */
    private volatile Runnable round = () -> {};

    public CheckSchedule(
            LeaseClock clock,
            LockThreads threads,
            TimingWheel<Grant> watched,
            Losses losses,
            ByName<RenewalSchedule> renewals) {
        this.clock = clock;
        this.threads = threads;
        this.watched = watched;
        this.losses = losses;
        this.renewals = renewals;
        this.movedAt = clock.nanoTime();
    }

    /** Runs that action on the timer thread whenever leases are due. */
    public void onDue(Runnable action) {
        this.round = action;
    }

    /** Watches the grant from now on; its acquire command was sent at that time. */
    public void watch(Grant grant, long sentAt) {
        check(grant, grant.wantsRenewal(sentAt) ? dueAfter(sentAt, sentAt + interval(grant)) : grant.validUntil());
    }

    /** Checks all grants as soon as possible, because the store has moved to a server that may not have them. */
    void checkAll() {
        this.movedAt = this.clock.nanoTime();
        watched().forEach(this::checkNow);
    }

    /** Returns the time for the next check, or now if the reply may be that of the server before a move. */
    long dueAfter(long sentAt, long due) {
        return sentAt - this.movedAt < 0 ? this.clock.nanoTime() : due;
    }

    /** Watches a grant that continues another one, at the time at which that one was due. */
    public void watchInstead(Grant from, Grant grant) {
        if (this.watched.replace(from, grant)) {
            this.losses.check(grant);
        } else {
            checkNow(grant);
        }
    }

    /** Checks the grant as soon as possible, because what its owner wants has changed. */
    public void checkNow(Grant grant) {
        check(grant, this.clock.nanoTime());
    }

    /** Renews the grant after one interval, because it is renewed from now on or for longer than before. */
    public void renewAfterInterval(Grant grant) {
        check(grant, this.clock.nanoTime() + interval(grant));
    }

    private long interval(Grant grant) {
        return this.renewals.of(grant.request().name()).interval();
    }

    /** Ends the checks of a grant that is being released. */
    public void endChecks(Grant grant) {
        this.watched.remove(grant);
    }

    /** Checks the grant at that time, or at its deadline if that is earlier. */
    void check(Grant grant, long due) {
        long at = due - grant.validUntil() > 0 ? grant.validUntil() : due;
        if (this.watched.put(grant, at)) {
            plan(at);
        }
        // A release, a loss or the stop of the registry may have come in between.
        if (!this.losses.isLive(grant)) {
            this.watched.remove(grant);
        }
    }

    /** Removes and returns a grant that is due; null if there is none. */
    @Nullable
    Grant pollDue(long now) {
        return this.watched.pollDue(now);
    }

    /** Returns how long the first of the overdue checks has been due; zero if none is. */
    public Duration lag() {
        long now = this.clock.nanoTime();
        return Duration.ofNanos(now - this.watched.firstLate(now));
    }

    /** Returns all grants that are watched. */
    public List<Grant> watched() {
        return this.watched.snapshot();
    }

    /** Starts the timer for the next round. */
    void planNext() {
        long now = this.clock.nanoTime();
        long none = now + Long.MAX_VALUE / 2;
        long next = this.watched.firstDue(none);
        if (next != none) {
            plan(next);
        }
    }

    /** Notes that the timer has run, so that a lease that is due earlier starts a new one. */
    void forgetPlan() {
        this.planning.lock();
        try {
            this.planned = null;
        } finally {
            this.planning.unlock();
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
                this.planned = this.threads.later(this.round, due - this.clock.nanoTime());
            }
        } finally {
            this.planning.unlock();
        }
    }
}
