package io.github.lockstarter.lease.queue;

import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * A grant on its way to the waiter: an acquire command that was sent when the message about a hand-over arrived, before the
 * waiter has woken up, or the message itself if it can be believed. The waiter finds it instead of sending a command of its
 * own. One object, because the two times from which the lease counts and its token must be read together.
 */
public final class Claim {

    private final long sentAt;

    private final long sentAtWall;

    private final long leaseMillis;

    /** Confirms the grant of a believed message, for which the store has set only the time of a claim; null: no message. */
    private final @Nullable Renewal confirmation;

    private volatile boolean answered;

    private volatile long fencingToken;

    private Claim(long sentAt, long sentAtWall, long leaseMillis, @Nullable Renewal confirmation) {
        this.sentAt = sentAt;
        this.sentAtWall = sentAtWall;
        this.leaseMillis = leaseMillis;
        this.confirmation = confirmation;
    }

    /** Creates the claim of an acquire command that is sent now. */
    public static Claim sent(LeaseClock clock, long leaseMillis) {
        return new Claim(clock.nanoTime(), clock.currentTimeMillis(), leaseMillis, null);
    }

    /**
     * Creates the claim of a message: the grant lasts for {@code leaseMillis} from the base on.
     *
     * @param confirmation sets the lease that the waiter has requested
     */
    public static Claim believed(LineBase base, long leaseMillis, long fencingToken, Renewal confirmation) {
        Claim claim = new Claim(base.sentAt(), base.sentAtWall(), leaseMillis, confirmation);
        claim.fencingToken = fencingToken;
        claim.answered = true;
        return claim;
    }

    /** Notes the reply; null: there is none that can be used. */
    public void answer(@Nullable AcquireReply reply) {
        if (reply instanceof AcquireReply.Granted granted) {
            this.fencingToken = granted.fencingToken();
        }
        this.answered = true;
    }

    boolean isAnswered() {
        return this.answered;
    }

    /** Returns the renewal that will show whether the grant of a message still exists; null: the claim is no message. */
    public @Nullable Renewal confirmation() {
        return this.confirmation;
    }

    /**
     * Returns the lease in milliseconds that its command may still obtain; 0: none. The renewal of a message counts as
     * unanswered: its reply belongs to the waiter that takes the claim.
     */
    long unansweredMillis() {
        if (this.confirmation != null) {
            return this.confirmation.leaseMillis();
        }
        return this.answered ? 0 : this.leaseMillis;
    }

    /** Returns whether the claim can be the grant of a waiter that requests a lease of that length. */
    boolean isFor(long leaseMillis) {
        return (this.confirmation != null ? this.confirmation.leaseMillis() : this.leaseMillis) == leaseMillis;
    }

    /** Returns the fencing token of the grant; 0: there is none. */
    public long fencingToken() {
        return this.fencingToken;
    }

    public long sentAt() {
        return this.sentAt;
    }

    public long sentAtWall() {
        return this.sentAtWall;
    }

    public long leaseMillis() {
        return this.leaseMillis;
    }
}
