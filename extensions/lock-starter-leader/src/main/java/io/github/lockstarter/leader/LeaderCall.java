package io.github.lockstarter.leader;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.tx.GuardedLeases;
import org.jspecify.annotations.Nullable;

/** A call that runs because this instance leads. The lock of the role is not released before its end. */
final class LeaderCall {

    private final RoleRunner runner;

    private final Lease lease;

    private final OnLost onLost;

    /** The calling thread until {@link #endOnThread}; guarded by this. */
    private @Nullable Thread thread;

    /** Whether a loss may interrupt the thread. */
    private boolean isInterruptible;

    private boolean interrupted;

    /** Whether the calling thread waits for the end of the role. */
    private boolean isClosing;

    /** Whether the call goes on without the lock: it was lost, or its lease runs out. */
    private volatile boolean isWithoutLock;

    LeaderCall(RoleRunner runner, Lease lease, OnLost onLost) {
        this.runner = runner;
        this.lease = lease;
        this.onLost = onLost;
    }

    Lease lease() {
        return this.lease;
    }

    /**
     * Until {@link #endOnThread}, unless it is ignored, a loss prevents commits of the calling thread, and interrupts it
     * if the call wants that.
     */
    void beginOnThread() {
        if (this.onLost != OnLost.IGNORE) {
            GuardedLeases.add(this.lease);
        }
        synchronized (this) {
            this.thread = Thread.currentThread();
            this.isInterruptible = this.onLost == OnLost.INTERRUPT;
        }
        // Not in the monitor, because a lease that notices its loss calls the runner.
        if (this.isWithoutLock || !this.lease.isHeld()) {
            lose();
        }
    }

    /** Returns whether the calling thread runs this call, and lets no later loss interrupt it if that is true. */
    synchronized boolean closesOnThread() {
        boolean isOnThread = this.thread == Thread.currentThread();
        if (isOnThread) {
            this.isInterruptible = false;
            this.isClosing = true;
        }
        return isOnThread;
    }

    /** Returns whether the calling thread waits for the end of the role. */
    synchronized boolean isClosing() {
        return this.isClosing;
    }

    /** Clears an interrupt that the body has not consumed. */
    synchronized void endOnThread() {
        // This has no effect for a lease that was not added.
        GuardedLeases.remove(this.lease);
        this.thread = null;
        if (this.interrupted) {
            boolean unused = Thread.interrupted();
        }
    }

    /** Notifies the call that it goes on without the lock. */
    synchronized void lose() {
        this.isWithoutLock = true;
        if (this.thread != null && this.isInterruptible && !this.interrupted) {
            this.interrupted = true;
            this.thread.interrupt();
        }
    }

    /** Ends the call; idempotent. */
    void exit() {
        this.runner.exit(this);
    }

    /** Returns the exception to report if the role was lost while the call ran, or {@code null}. */
    @Nullable
    LockLostException loss() {
        Lease.State state = this.lease.state();
        if (this.onLost == OnLost.IGNORE || (state != Lease.State.LOST && !this.isWithoutLock)) {
            return null;
        }
        if (state == Lease.State.LOST) {
            try {
                this.lease.ensureHeld();
            } catch (LockLostException ex) {
                return ex;
            }
        }
        return new LockLostException(
                "Leader role '" + this.runner.role()
                        + "': its lock is no longer renewed, because a call of the leader did not"
                        + " end within stop-timeout. Another instance may lead. Let the call end when"
                        + " LeadershipRevokedEvent is published, or increase stop-timeout.",
                this.lease.name(),
                this.lease.fencingToken(),
                LossReason.EXPIRED);
    }
}
