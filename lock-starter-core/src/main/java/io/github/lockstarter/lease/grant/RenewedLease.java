package io.github.lockstarter.lease.grant;

import io.github.lockstarter.store.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of a lease: the one that has no reply yet, and the results of those before.
 *
 * <p>The fields are written by one thread at a time: the watchdog sets {@link #renewal}, and the reply to it, or the end of
 * the wait for that, clears it. When a lease is handed over, the open renewal moves with it ({@link RenewalAttempt}).
 */
abstract class RenewedLease extends LeaseValidity {

    /** False until the first reply to a renewal, if the lease began with a believed message. */
    private volatile boolean confirmed = true;

    private volatile int failedRenewals;

    private volatile int renewals;

    private volatile @Nullable Renewal renewal;

    private volatile long renewalLateAt;

    /** Continues the lease of another grant. */
    final void continueFrom(RenewedLease from) {
        // Before the validity: if no renewal is open, the validity contains all replies.
        this.renewal = from.renewal;
        this.renewalLateAt = from.renewalLateAt;
        goOnFrom(from);
        this.confirmed = from.confirmed;
    }

    /** Takes over what a reply has changed in the grant before, after this one was created from it. */
    final void catchUpWith(RenewedLease from, Renewal answered) {
        if (this.renewal == answered) {
            this.renewal = null;
        }
        goOnFrom(from);
        if (from.confirmed) {
            this.confirmed = true;
        }
    }

    /** Notes that the store has set no more than the time of a claim: it must be renewed, whatever the owner wants. */
    public final void setUnconfirmed() {
        this.confirmed = false;
    }

    /** Returns whether the store has set the lease that the owner requested. */
    public final boolean isConfirmed() {
        return this.confirmed;
    }

    /** Returns the renewal that will confirm the lease; null: none is under way, or the lease is confirmed. */
    @Nullable
    public final Renewal confirmation() {
        return this.confirmed ? null : this.renewal;
    }

    /** Returns the last renewal while it has no reply; null if there is none. */
    @Nullable
    final Renewal renewal() {
        return this.renewal;
    }

    /** Returns the time at which the last renewal counts as late. */
    final long renewalLateAt() {
        return this.renewalLateAt;
    }

    final void renewalSent(Renewal attempt, long lateAt) {
        this.renewalLateAt = lateAt;
        this.renewal = attempt;
    }

    /** Notes a renewal, with at least the lease that the owner requested if {@code full}. */
    final void renewalSucceeded(boolean full) {
        int successes = this.renewals + 1;
        this.confirmed |= full;
        this.renewal = null;
        this.failedRenewals = 0;
        this.renewals = successes;
    }

    /** Returns how many renewals have succeeded. */
    public final int renewals() {
        return this.renewals;
    }

    /** Notes a failed renewal and returns how many have failed in a row. */
    final int renewalFailed() {
        int failures = this.failedRenewals + 1;
        this.renewal = null;
        this.failedRenewals = failures;
        return failures;
    }
}
