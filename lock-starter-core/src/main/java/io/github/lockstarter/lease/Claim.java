package io.github.lockstarter.lease;

import io.github.lockstarter.store.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * An ordinary acquire that the message about a hand-over sent off at once, before the waiter has woken up. Its answer is
 * there when the waiter looks.
 */
final class Claim {

    private final long sentAt;

    private final long sentAtWall;

    private final long leaseMillis;

    private volatile boolean answered;

    private volatile @Nullable AcquireReply reply;

    Claim(LeaseClock clock, long leaseMillis) {
        this.sentAt = clock.nanoTime();
        this.sentAtWall = clock.currentTimeMillis();
        this.leaseMillis = leaseMillis;
    }

    /** The store has answered; null: not in a way that is of use. */
    void answer(@Nullable AcquireReply reply) {
        this.reply = reply;
        this.answered = true;
    }

    boolean isAnswered() {
        return this.answered;
    }

    /** The answer; null: there is none yet, or none of use. */
    @Nullable
    AcquireReply reply() {
        return this.reply;
    }

    long sentAt() {
        return this.sentAt;
    }

    long sentAtWall() {
        return this.sentAtWall;
    }

    long leaseMillis() {
        return this.leaseMillis;
    }
}
