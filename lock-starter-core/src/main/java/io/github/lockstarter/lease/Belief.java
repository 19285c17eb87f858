package io.github.lockstarter.lease;

import java.util.concurrent.TimeUnit;

/** Until when the owner of a lease may believe in it, on two clocks: the monotonic one stands still in a suspended VM. */
abstract class Belief extends DueQueue.Entry {

    private volatile long validUntil;

    private volatile long wallValidUntil;

    private volatile long wallSentAt;

    private volatile boolean extended;

    /** The lease of the other one is the same, and goes on. */
    final void goOnFrom(Belief other) {
        this.validUntil = other.validUntil;
        this.wallValidUntil = other.wallValidUntil;
        this.wallSentAt = other.wallSentAt;
        this.extended = other.extended;
    }

    /**
     * Notes that the store set the lease. It is counted from the moment the request was sent, less a margin: counted
     * from the reply, the store could grant the lock to another while we still believed in it.
     */
    final void extend(long sentAt, long sentAtWall, long leaseMillis) {
        long valid = TimeUnit.MILLISECONDS.toNanos(leaseMillis) - marginNanos(leaseMillis);
        // Rounded up: the wall clock is the coarse one, the other decides to the nanosecond.
        long wallValid = TimeUnit.NANOSECONDS.toMillis(valid + 999_999);
        // A renewal never shortens what a longer lease has left, by either clock; but a wall clock that was set back
        // must not keep what it said before.
        boolean setBack = sentAtWall < this.wallSentAt;
        this.wallSentAt = sentAtWall;
        this.wallValidUntil = setBack ? sentAtWall + wallValid : Math.max(this.wallValidUntil, sentAtWall + wallValid);
        long until = sentAt + valid;
        this.validUntil = this.extended && this.validUntil - until > 0 ? this.validUntil : until;
        this.extended = true;
    }

    /**
     * A tenth and at least 2 ms, for clocks that run at different speeds and for steps of the server's clock; of the
     * shortest leases a half, so that something is left.
     */
    static long marginNanos(long leaseMillis) {
        long lease = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        return Math.min(lease / 2, Math.max(TimeUnit.MILLISECONDS.toNanos(2), lease / 10));
    }

    /** Whether the lease may have ended in the store, by either clock. */
    final boolean hasEnded(LeaseClock clock) {
        return clock.nanoTime() - this.validUntil >= 0 || clock.currentTimeMillis() >= this.wallValidUntil;
    }

    /** Nanoseconds left by the stricter clock; not positive if it has ended. */
    final long remaining(LeaseClock clock) {
        return Math.min(
                this.validUntil - clock.nanoTime(),
                TimeUnit.MILLISECONDS.toNanos(this.wallValidUntil - clock.currentTimeMillis()));
    }

    final long validUntil() {
        return this.validUntil;
    }
}
