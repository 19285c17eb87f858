package io.github.lockstarter.lease.grant;

import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.TimingWheel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The time until which the owner of a lease may rely on it.
 *
 * <p>Implementation note. The store counts a lease from the execution of the command, this class from the moment at which
 * the command was sent, less a margin: so the owner's view ends before the store can grant the lock to another owner. Two
 * clocks are used, and the stricter one counts, because the monotonic clock stands still while a virtual machine is
 * suspended (see {@link LeaseClock}). A reply that arrives late cannot shorten what an earlier one has extended. Both
 * deadlines are one value that is replaced in one step, because the replies to a renewal of the watchdog and to one that a
 * caller awaits may arrive at the same time. For the argument, see Gray and Cheriton,
 * "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency" (1989).
 */
public abstract class LeaseValidity extends TimingWheel.Entry {

    private static final AtomicReferenceFieldUpdater<LeaseValidity, Deadlines> DEADLINES =
            AtomicReferenceFieldUpdater.newUpdater(LeaseValidity.class, Deadlines.class, "deadlines");

    /** Before the store has set a lease. */
    private static final Deadlines NONE = new Deadlines(0, 0, 0, 0);

    private volatile Deadlines deadlines = NONE;

    /**
     * The ends of a lease by both clocks.
     *
     * @param until nanoseconds of the monotonic clock
     * @param wallUntil milliseconds of the wall clock
     * @param sentAt nanoseconds at which the latest command was sent
     * @param wallSentAt milliseconds of the wall clock at the same moment
     */
    private record Deadlines(long until, long wallUntil, long sentAt, long wallSentAt) {

        /** Returns the later of both by either clock: a renewal never shortens what a longer lease has left. */
        Deadlines and(Deadlines next) {
            if (this.wallUntil == 0) {
                return next;
            }
            boolean isLater = next.sentAt - this.sentAt >= 0;
            boolean wallIsLater = next.wallSentAt >= this.wallSentAt;
            Deadlines latest = isLater ? next : this;
            // After the wall clock was set back, its deadline from before is meaningless.
            long wall = isLater == wallIsLater ? Math.max(this.wallUntil, next.wallUntil) : latest.wallUntil;
            long later = this.until - next.until > 0 ? this.until : next.until;
            return new Deadlines(later, wall, latest.sentAt, latest.wallSentAt);
        }
    }

    /** Takes over the validity of the same lease from the grant before. What it replaces ends no later. */
    final void goOnFrom(LeaseValidity other) {
        this.deadlines = other.deadlines;
    }

    /**
     * Notes that the store has set the lease.
     *
     * @param sentAt nanoseconds of the monotonic clock at which the command was sent
     * @param sentAtWall milliseconds of the wall clock at the same moment
     * @param leaseMillis the lease that the command has set
     */
    final void extend(long sentAt, long sentAtWall, long leaseMillis) {
        long valid = TimeUnit.MILLISECONDS.toNanos(leaseMillis) - marginNanos(leaseMillis);
        // Rounded up: the wall clock is the coarse one, the other decides to the nanosecond.
        long wallValid = TimeUnit.NANOSECONDS.toMillis(valid + 999_999);
        Deadlines next = new Deadlines(sentAt + valid, sentAtWall + wallValid, sentAt, sentAtWall);
        Deadlines unused = DEADLINES.accumulateAndGet(this, next, Deadlines::and);
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
        Deadlines known = this.deadlines;
        return clock.nanoTime() - known.until >= 0 || clock.currentTimeMillis() >= known.wallUntil;
    }

    /** Returns the nanoseconds left by the stricter clock; zero or negative if the lease has ended. */
    public final long remaining(LeaseClock clock) {
        Deadlines known = this.deadlines;
        return Math.min(
                known.until - clock.nanoTime(),
                TimeUnit.MILLISECONDS.toNanos(known.wallUntil - clock.currentTimeMillis()));
    }

    public final long validUntil() {
        return this.deadlines.until;
    }
}
