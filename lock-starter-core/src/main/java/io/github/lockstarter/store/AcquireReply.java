package io.github.lockstarter.store;

/** What a store answers to an acquire. */
public sealed interface AcquireReply {

    /**
     * The acquisition owns the lock.
     *
     * @param fencingToken larger than that of every grant of this lock before it
     */
    record Granted(long fencingToken) implements AcquireReply {}

    /**
     * Somebody else owns the lock.
     *
     * @param remainingMillis time left of the holder's lease
     */
    record Taken(long remainingMillis) implements AcquireReply {}
}
