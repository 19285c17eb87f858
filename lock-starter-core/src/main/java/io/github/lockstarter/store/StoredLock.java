package io.github.lockstarter.store;

/**
 * A lock that somebody owns, as a store knows it.
 *
 * @param fencingToken token of the last grant; 0: the store does not tell
 * @param remainingMillis until it runs out; negative: the store does not tell
 */
public record StoredLock(long fencingToken, long remainingMillis) {

    /** Somebody owns it, and that is all the store tells. */
    public static final StoredLock OWNED = new StoredLock(0, -1);
}
