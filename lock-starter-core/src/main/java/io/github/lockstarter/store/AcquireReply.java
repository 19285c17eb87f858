package io.github.lockstarter.store;

/** Reply of a store to an attempt to acquire a lock. */
public sealed interface AcquireReply {

    /**
     * The acquisition owns the lock.
     *
     * @param fencingToken token of the grant, larger than that of every earlier grant of the lock
     */
    record Granted(long fencingToken) implements AcquireReply {}

    /**
     * Another acquisition owns the lock.
     *
     * @param remainingMillis milliseconds until the holder's lease expires, unless it is renewed
     */
    record Taken(long remainingMillis) implements AcquireReply {}
}
