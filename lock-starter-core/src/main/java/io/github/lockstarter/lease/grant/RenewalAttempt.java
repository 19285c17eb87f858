package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;

/** One attempt to renew one grant, with the time at which it was sent, from which the lease is counted. */
final class RenewalAttempt implements Renewal {

    /** Gets the result of attempts; each attempt has one. */
    interface Outcome {

        void renewed(RenewalAttempt attempt);

        void lost(RenewalAttempt attempt, LossReason reason);

        void failed(RenewalAttempt attempt, LockStoreException cause);
    }

    private final Grant grant;

    private final long leaseMillis;

    private final Outcome outcome;

    private long sentAt;

    private long sentAtWall;

    private long nextAt;

    private volatile boolean settled;

    RenewalAttempt(Grant grant, long leaseMillis, Outcome outcome) {
        this.grant = grant;
        this.leaseMillis = leaseMillis;
        this.outcome = outcome;
    }

    /** Notes the time by both clocks, before the command is written, and the time of the next renewal. */
    void sending(long now, long wallMillis, long nextAt) {
        this.sentAt = now;
        this.sentAtWall = wallMillis;
        this.nextAt = nextAt;
    }

    /** Returns whether the grant still waits for this attempt. */
    boolean isWanted() {
        return this.grant.state().isLive() && this.grant.renewal() == this;
    }

    Grant grant() {
        return this.grant;
    }

    long sentAt() {
        return this.sentAt;
    }

    long nextAt() {
        return this.nextAt;
    }

    @Override
    public String lockName() {
        return this.grant.lockName();
    }

    @Override
    public String acquisitionId() {
        return this.grant.acquisitionId();
    }

    @Override
    public long leaseMillis() {
        return this.leaseMillis;
    }

    @Override
    public void renewed() {
        this.settled = true;
        this.grant.extend(this.sentAt, this.sentAtWall, this.leaseMillis);
        this.outcome.renewed(this);
    }

    @Override
    public void lost(LossReason reason) {
        this.settled = true;
        this.outcome.lost(this, reason);
    }

    @Override
    public void failed(LockStoreException cause) {
        if (!this.settled) {
            this.settled = true;
            this.outcome.failed(this, cause);
        }
    }
}
