package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of an acquisition, for conventions, handlers and filters. The outcome and the token may be
 * set by another thread than the one that started the observation.
 */
public final class LockAcquisitionContext extends Observation.Context {

    private final String lock;

    private final String key;

    private final LockMode mode;

    private final String instance;

    private volatile @Nullable AcquireOutcome outcome;

    private volatile long fencingToken;

    private volatile @Nullable LockHolder holder;

    LockAcquisitionContext(String lock, LockRequest request, String instance) {
        this.lock = lock;
        this.key = request.key();
        this.mode = request.mode();
        this.instance = instance;
    }

    void end(AcquireOutcome how, long token, @Nullable LockHolder by) {
        this.holder = by;
        this.fencingToken = token;
        this.outcome = how;
    }

    /**
     * Returns the static name of the lock, or {@code other} from the 201st name on, which makes it suitable as a tag.
     */
    public String getLock() {
        return this.lock;
    }

    /**
     * Returns the key under that name, which may be empty. The number of keys is unbounded, so the key is not suitable
     * as a tag.
     */
    public String getKey() {
        return this.key;
    }

    /** Returns the mode in which the lock was requested. */
    public LockMode getMode() {
        return this.mode;
    }

    /**
     * Returns {@code acquired}, {@code timeout}, {@code skipped}, {@code interrupted} or {@code error}; null while the
     * acquisition is running.
     */
    public @Nullable String getOutcome() {
        AcquireOutcome how = this.outcome;
        return how != null ? how.tag() : null;
    }

    /** Returns the fencing token of the grant; zero if there is none. */
    public long getFencingToken() {
        return this.fencingToken;
    }

    /** Returns the id of the instance that acquires, with which the ids of its acquisitions begin. */
    public String getInstance() {
        return this.instance;
    }

    /**
     * Returns the instance that held the lock at the end of the wait; null for other outcomes than {@code timeout} and
     * {@code skipped}, or if it is unknown.
     */
    public @Nullable LockHolder getHolder() {
        return this.holder;
    }
}
