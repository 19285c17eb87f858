package io.github.lockstarter.lease.grant;

import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.TimingWheel;
import java.util.concurrent.TimeUnit;

/**
 * The time until which the owner of a lease may rely on it.
 *
 * <p>Implementation note. The store counts a lease from the execution of the command, this class from the moment at which
 * the command was sent, less a margin: so the owner's view ends before the store can grant the lock to another owner. Two
 * clocks are used, and the stricter one counts, because the monotonic clock stands still while a virtual machine is
 * suspended (see {@link LeaseClock}). A reply that arrives late cannot shorten what an earlier one has extended, and so
 * writers take turns: the replies to a renewal of the watchdog and to one that a caller awaits may arrive at the same time.
 * Readers take no lock, because each of the two deadlines is valid by itself. For the argument, see Gray and Cheriton,
 * "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency" (1989).
 */
public abstract class LeaseValidity extends TimingWheel.Entry {

    private volatile long validUntil;

    private volatile long wallValidUntil;

    /** Times at which the latest command was sent, by both clocks. */
    private long sentAt;

    private long wallSentAt;

    private boolean extended;

    /** Takes over the validity of the same lease from the grant before. What it replaces ends no later. */
    final void goOnFrom(LeaseValidity other) {
        long valid;
        long wallValid;
        long sent;
        long wallSent;
        boolean known;
        synchronized (other) {
            valid = other.validUntil;
            wallValid = other.wallValidUntil;
            sent = other.sentAt;
            wallSent = other.wallSentAt;
            known = other.extended;
        }
        // Not both at a time, so that the order of locks does not matter.
        synchronized (this) {
            this.validUntil = valid;
            this.wallValidUntil = wallValid;
            this.sentAt = sent;
            this.wallSentAt = wallSent;
            this.extended = known;
        }
    }

    /**
     * Notes that the store has set the lease.
     *
     * @param sentAt nanoseconds of the monotonic clock at which the command was sent
     * @param sentAtWall milliseconds of the wall clock at the same moment
     * @param leaseMillis the lease that the command has set
     */
    final synchronized void extend(long sentAt, long sentAtWall, long leaseMillis) {
        long valid = TimeUnit.MILLISECONDS.toNanos(leaseMillis) - marginNanos(leaseMillis);
        // Rounded up: the wall clock is the coarse one, the other decides to the nanosecond.
        long wallUntil = sentAtWall + TimeUnit.NANOSECONDS.toMillis(valid + 999_999);
        boolean isLatest = !this.extended || sentAt - this.sentAt >= 0;
        boolean wallIsLater = sentAtWall >= this.wallSentAt;
        if (isLatest == wallIsLater) {
            // A renewal never shortens what a longer lease has left.
            this.wallValidUntil = Math.max(this.wallValidUntil, wallUntil);
        } else if (isLatest) {
            // The wall clock was set back, and its earlier deadline is meaningless.
            this.wallValidUntil = wallUntil;
        }
        if (isLatest) {
            this.sentAt = sentAt;
            this.wallSentAt = sentAtWall;
        }
        long until = sentAt + valid;
        this.validUntil = this.extended && this.validUntil - until > 0 ? this.validUntil : until;
        this.extended = true;
    }

    /**
     * Returns the margin: a tenth and at least 2 ms, for clocks that run at different speeds and for steps of the server's
     * clock; half of the shortest leases, so that some time is left.
     */
    static long marginNanos(long leaseMillis) {
        long lease = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        return Math.min(lease / 2, Math.max(TimeUnit.MILLISECONDS.toNanos(2), lease / 10));
    }

    /** Returns whether the lease may have ended in the store, by either clock. */
    public final boolean hasEnded(LeaseClock clock) {
        return clock.nanoTime() - this.validUntil >= 0 || clock.currentTimeMillis() >= this.wallValidUntil;
    }

    /** Returns the nanoseconds left by the stricter clock; zero or negative if the lease has ended. */
    public final long remaining(LeaseClock clock) {
        return Math.min(
                this.validUntil - clock.nanoTime(),
                TimeUnit.MILLISECONDS.toNanos(this.wallValidUntil - clock.currentTimeMillis()));
    }

    public final long validUntil() {
        return this.validUntil;
    }
}
