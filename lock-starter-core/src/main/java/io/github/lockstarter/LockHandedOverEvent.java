package io.github.lockstarter;

/**
 * A lock was granted directly to the next waiter in line by the release of the owner before.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the new grant
 * @param acquisitionId id of the grant in the store
 * @param kind whether both owners are in one JVM
 */
public record LockHandedOverEvent(String name, String key, long fencingToken, String acquisitionId, Kind kind)
        implements LockEvent {

    /** Where the owner before was. */
    public enum Kind {
        /** In this JVM: handed over in memory, or by a release while no other JVM stood in line. */
        LOCAL,
        /** In another JVM: granted by the store, as far as a message reported it. */
        REMOTE
    }
}
