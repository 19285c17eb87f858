package io.github.lockstarter.lease.support;

/** Says whether a run of the registry is stopping. Set once, read by any thread. */
public final class StopSignal {

    private volatile boolean stopping;

    /** Refuses new acquisitions from now on. */
    public void stop() {
        this.stopping = true;
    }

    /** Returns whether acquisitions are refused. */
    public boolean isStopping() {
        return this.stopping;
    }
}
