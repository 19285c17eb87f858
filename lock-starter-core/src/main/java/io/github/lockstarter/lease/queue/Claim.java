package io.github.lockstarter.lease.queue;

import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import org.jspecify.annotations.Nullable;

/**
 * An acquire command that was sent when the message about a hand-over arrived, before the waiter has woken up. The waiter
 * finds its reply instead of sending a command of its own. One object of its own, because the two times at which it was
 * sent and its token must be read together.
 */
public final class Claim {

    private final long sentAt;

    private final long sentAtWall;

    private final long leaseMillis;

    private volatile boolean answered;

    private volatile long fencingToken;

    public Claim(LeaseClock clock, long leaseMillis) {
        this.sentAt = clock.nanoTime();
        this.sentAtWall = clock.currentTimeMillis();
        this.leaseMillis = leaseMillis;
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

    long leaseMillis() {
        return this.leaseMillis;
    }
}
