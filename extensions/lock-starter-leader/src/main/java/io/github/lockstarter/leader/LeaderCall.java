package io.github.lockstarter.leader;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import org.jspecify.annotations.Nullable;

/** A call that runs because this instance leads. The lock of the role is not released before its end. */
final class LeaderCall {

    private final RoleRunner runner;

    private final Lease lease;

    private final OnLost onLost;

    /** The thread to interrupt at a loss; guarded by this. */
    private @Nullable Thread thread;

    private boolean interrupted;

    LeaderCall(RoleRunner runner, Lease lease, OnLost onLost) {
        this.runner = runner;
        this.lease = lease;
        this.onLost = onLost;
    }

    Lease lease() {
        return this.lease;
    }

    /** Lets a loss interrupt the calling thread until {@link #endOnThread}, if the call wants that. */
    synchronized void beginOnThread() {
        if (this.onLost == OnLost.INTERRUPT) {
            this.thread = Thread.currentThread();
            if (!this.lease.isHeld()) {
                interrupt();
            }
        }
    }

    /** Clears an interrupt that the body has not consumed. */
    synchronized void endOnThread() {
        this.thread = null;
        if (this.interrupted) {
            boolean unused = Thread.interrupted();
        }
    }

    /** Called at a loss. */
    synchronized void interrupt() {
        if (this.thread != null) {
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
        if (this.onLost == OnLost.IGNORE || this.lease.state() != Lease.State.LOST) {
            return null;
        }
        try {
            this.lease.ensureHeld();
            return null;
        } catch (LockLostException ex) {
            return ex;
        }
    }
}
