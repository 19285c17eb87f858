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

    private volatile long fencingToken;

    Claim(LeaseClock clock, long leaseMillis) {
        this.sentAt = clock.nanoTime();
        this.sentAtWall = clock.currentTimeMillis();
        this.leaseMillis = leaseMillis;
    }

    /** The store has answered; null: not in a way that is of use. */
    void answer(@Nullable AcquireReply reply) {
        if (reply instanceof AcquireReply.Granted granted) {
            this.fencingToken = granted.fencingToken();
        }
        this.answered = true;
    }

    boolean isAnswered() {
        return this.answered;
    }

    /** Token of the grant; 0: there is none. */
    long fencingToken() {
        return this.fencingToken;
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
