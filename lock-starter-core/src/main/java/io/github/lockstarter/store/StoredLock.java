package io.github.lockstarter.store;

/**
 * A lock that is owned, as the store describes it.
 *
 * @param fencingToken token of the last grant by the store; 0: unknown
 * @param remainingMillis milliseconds until the lease expires; negative: unknown
 */
public record StoredLock(long fencingToken, long remainingMillis) {

    /** A lock that is owned, without further data. */
    public static final StoredLock OWNED = new StoredLock(0, -1);
}
