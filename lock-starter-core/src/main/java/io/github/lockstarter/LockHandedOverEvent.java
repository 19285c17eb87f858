package io.github.lockstarter;

/**
 * Published when the release of a lock granted it directly to the next waiter.
 *
 * @param name static name of the lock
 * @param key key under that name; may be empty
 * @param mode what the grant allows beside it
 * @param fencingToken token of the new grant
 * @param acquisitionId id of the grant in the store
 * @param kind whether both owners are in this JVM
 */
public record LockHandedOverEvent(
        String name, String key, LockMode mode, long fencingToken, String acquisitionId, Kind kind)
        implements LockEvent {

    /** Where the previous owner was. */
    public enum Kind {
        /**
         * In this JVM: the lock was handed over in memory, or by a release while no other JVM was in the waiting line.
         */
        LOCAL,
        /** In another JVM: the store granted the lock and notified this one. */
        REMOTE
    }
}
