package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;

/** A renewal that waits to be confirmed by replicas. Notified once, by the thread that has taken it from its queue. */
final class PendingConfirmation implements Renewal {

    private final Renewal renewal;

    private final boolean grant;

    private final long deadline;

    private boolean alone;

    private PendingConfirmation(Renewal renewal, boolean grant, long deadline) {
        this.renewal = renewal;
        this.grant = grant;
        this.deadline = deadline;
    }

    /**
     * Creates the confirmation of a grant.
     *
     * @param deadline nanoseconds of {@link System#nanoTime()} after which nothing waits for it
     */
    static PendingConfirmation ofGrant(Renewal renewal, long deadline) {
        return new PendingConfirmation(renewal, true, deadline);
    }

    /** Creates the confirmation of a renewal; the deadline is as for a grant. */
    static PendingConfirmation ofRenewal(Renewal renewal, long deadline) {
        return new PendingConfirmation(renewal, false, deadline);
    }

    /** Returns whether it confirms a grant, for which a caller waits, and not a renewal. */
    boolean isGrant() {
        return this.grant;
    }

    boolean isOverdue(long now) {
        return this.deadline - now <= 0;
    }

    /** Has it sent in a script call of its own from now on, because another lock of a call may have made it fail. */
    void separate() {
        this.alone = true;
    }

    boolean isAlone() {
        return this.alone;
    }

    @Override
    public String lockName() {
        return this.renewal.lockName();
    }

    @Override
    public String acquisitionId() {
        return this.renewal.acquisitionId();
    }

    @Override
    public long leaseMillis() {
        return this.renewal.leaseMillis();
    }

    @Override
    public void renewed() {
        this.renewal.renewed();
    }

    @Override
    public void lost(LossReason reason) {
        this.renewal.lost(reason);
    }

    @Override
    public void failed(LockStoreException cause) {
        this.renewal.failed(cause);
    }
}
