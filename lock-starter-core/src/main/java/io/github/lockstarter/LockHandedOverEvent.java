package io.github.lockstarter;

/**
 * A lock went from one owner straight to the next in line.
 *
 * @param name static name of the lock
 * @param key what is locked under that name
 * @param fencingToken token of the new grant
 * @param acquisitionId id of the grant in the store
 * @param kind between whom
 */
public record LockHandedOverEvent(String name, String key, long fencingToken, String acquisitionId, Kind kind)
        implements LockEvent {

    /** Between whom a lock is handed over. */
    public enum Kind {
        /** Inside this JVM: in memory, or by the release itself while nobody else stood in line. */
        LOCAL,
        /** From another JVM, by the store, as far as a message told. */
        REMOTE
    }
}
