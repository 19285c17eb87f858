package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to renew one lease, with the time at which it was sent, from which the lease is counted.
 *
 * <p>The grant to which the reply applies can change until the reply arrives: the attempt may be sent before the waiter has
 * begun its grant, and a grant may be handed over meanwhile. All of these race for {@link #state}, which is the present grant,
 * null before there is one, or the reply. Whoever finds the reply applies it.
 */
final class RenewalAttempt implements Renewal {

    private static final AtomicReferenceFieldUpdater<RenewalAttempt, Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(RenewalAttempt.class, Object.class, "state");

    /** Gets the result of attempts; each attempt has one. */
    interface Outcome {

        void renewed(Grant grant, RenewalAttempt attempt);

        void lost(Grant grant, RenewalAttempt attempt, LossReason reason);

        void failed(Grant grant, RenewalAttempt attempt, LockStoreException cause);
    }

    /**
     * What the store has replied.
     *
     * @param reason why the lease is lost; null: it is not
     * @param cause why there was no reply; null: there was one
     */
    private record Reply(
            @Nullable LossReason reason, @Nullable LockStoreException cause) {

        private static final Reply RENEWED = new Reply(null, null);

        boolean isRenewed() {
            return this.reason == null && this.cause == null;
        }
    }

    private final String lockName;

    private final String acquisitionId;

    private final long leaseMillis;

    private final Outcome outcome;

    private long sentAt;

    private long sentAtWall;

    private long nextAt;

    private volatile @Nullable Object state;

    /** Creates an attempt for a grant that has not begun. */
    RenewalAttempt(String lockName, String acquisitionId, long leaseMillis, Outcome outcome) {
        this.lockName = lockName;
        this.acquisitionId = acquisitionId;
        this.leaseMillis = leaseMillis;
        this.outcome = outcome;
    }

    RenewalAttempt(Grant grant, long leaseMillis, Outcome outcome) {
        this(grant.lockName(), grant.acquisitionId(), leaseMillis, outcome);
        this.state = grant;
    }

    /** Notes the time by both clocks, before the command is written, and the time of the next renewal. */
    void sending(long now, long wallMillis, long nextAt) {
        this.sentAt = now;
        this.sentAtWall = wallMillis;
        this.nextAt = nextAt;
    }

    /** Returns whether a grant still waits for this attempt. */
    boolean isWanted() {
        Object current = this.state;
        return current == null || (current instanceof Grant grant && grant.isLive() && grant.renewal() == this);
    }

    /** Lets the reply apply to the grant; applies it now if it has arrived. */
    void attachTo(Grant grant) {
        if (!STATE.compareAndSet(this, null, grant) && this.state instanceof Reply reply) {
            apply(reply, grant);
        }
    }

    /**
     * Lets the reply apply to the successor of a grant.
     *
     * @return false if the reply has arrived and was applied to the grant before
     */
    boolean moveTo(Grant from, Grant successor) {
        return STATE.compareAndSet(this, from, successor);
    }

    /** Returns why the store no longer has the grant; null if there was no such reply. */
    @Nullable
    LossReason lossReason() {
        return this.state instanceof Reply reply ? reply.reason() : null;
    }

    long sentAt() {
        return this.sentAt;
    }

    long nextAt() {
        return this.nextAt;
    }

    @Override
    public String lockName() {
        return this.lockName;
    }

    @Override
    public String acquisitionId() {
        return this.acquisitionId;
    }

    @Override
    public long leaseMillis() {
        return this.leaseMillis;
    }

    @Override
    public void renewed() {
        settle(Reply.RENEWED);
    }

    @Override
    public void lost(LossReason reason) {
        settle(new Reply(reason, null));
    }

    @Override
    public void failed(LockStoreException cause) {
        settle(new Reply(null, cause));
    }

    /** Ends the attempt, unless it has ended before, and applies the reply to the present grant, if there is one. */
    private void settle(Reply reply) {
        Object current = this.state;
        while (!(current instanceof Reply)) {
            if (current instanceof Grant grant && reply.isRenewed()) {
                // First, because a hand-over that finds the reply takes the validity over from this grant.
                extend(grant);
            }
            if (STATE.compareAndSet(this, current, reply)) {
                if (current instanceof Grant grant) {
                    apply(reply, grant);
                }
                return;
            }
            current = this.state;
        }
    }

    private void apply(Reply reply, Grant grant) {
        if (reply.reason() != null) {
            this.outcome.lost(grant, this, reply.reason());
        } else if (reply.cause() != null) {
            this.outcome.failed(grant, this, reply.cause());
        } else {
            extend(grant);
            this.outcome.renewed(grant, this);
        }
    }

    private void extend(Grant grant) {
        grant.extend(this.sentAt, this.sentAtWall, this.leaseMillis);
    }
}
