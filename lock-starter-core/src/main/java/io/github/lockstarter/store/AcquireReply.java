package io.github.lockstarter.store;

import org.jspecify.annotations.Nullable;

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
     * @param remainingMillis milliseconds until the holder's lease expires, unless it is renewed; of several holders,
     *     until the first lease may expire
     * @param owner id of the owner, also while the lock is kept for a minimum hold, or of one of several holders; null:
     *     unknown
     * @param fencingToken the largest token of the lock so far; 0: unknown
     * @param used sum of the weights of the holders, with 1 for a reader; 0 if the lock is owned exclusively
     * @param pollMillis milliseconds after which the acquisition is to ask again; 0: it is not in the waiting line. An
     *     acquisition in the line had not been granted the lock when the command was executed
     */
    record Taken(long remainingMillis, @Nullable String owner, long fencingToken, int used, long pollMillis)
            implements AcquireReply {

        /** Creates the reply to an acquisition that is not in the line, of a store that does not know the owner. */
        public Taken(long remainingMillis) {
            this(remainingMillis, null, 0, 0, 0);
        }
    }
}
