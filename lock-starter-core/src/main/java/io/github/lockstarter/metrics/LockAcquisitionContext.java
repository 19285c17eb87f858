package io.github.lockstarter.metrics;

import io.github.lockstarter.LockRequest;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/** What an observation knows of the acquisition it is about; for conventions, handlers and filters. */
public final class LockAcquisitionContext extends Observation.Context {

    private final String lock;

    private final String key;

    private volatile @Nullable AcquireOutcome outcome;

    private volatile long fencingToken;

    LockAcquisitionContext(String lock, LockRequest request) {
        this.lock = lock;
        this.key = request.key();
    }

    void end(AcquireOutcome how, long token) {
        this.fencingToken = token;
        this.outcome = how;
    }

    /** The static name; from the 201st on, {@code other}. Few, and so fit for a tag. */
    public String getLock() {
        return this.lock;
    }

    /** What is locked under that name, as evaluated; empty: the name alone. Any number of different ones. */
    public String getKey() {
        return this.key;
    }

    /** How it ended: {@code acquired}, {@code timeout}, {@code interrupted} or {@code error}; null while it goes on. */
    public @Nullable String getOutcome() {
        AcquireOutcome how = this.outcome;
        return how != null ? how.tag() : null;
    }

    /** The token of the grant; zero while there is none. */
    public long getFencingToken() {
        return this.fencingToken;
    }
}
