package io.github.lockstarter.store;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is owned, as the store describes it.
 *
 * @param owner id of the owning acquisition, also while the lock is kept for its minimum hold; null: unknown
 * @param fencingToken token of the last grant by the store; 0: unknown
 * @param remainingMillis milliseconds until the lease expires; negative: unknown
 * @param waiting number of acquisitions in the waiting line, at most one for each instance; negative: unknown
 */
public record StoredLock(@Nullable String owner, long fencingToken, long remainingMillis, int waiting) {

    /** A lock that is owned, without further data. */
    public static final StoredLock OWNED = new StoredLock(null, 0, -1, -1);
}
