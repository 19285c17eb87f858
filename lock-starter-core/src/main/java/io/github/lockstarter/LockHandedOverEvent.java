package io.github.lockstarter;

/**
 * Published when the release of a lock granted it directly to the next waiter.
 *
 * @param grant the grant that the event is about
 * @param kind whether both owners are in this JVM
 */
public record LockHandedOverEvent(LockEvent.Grant grant, Kind kind) implements LockEvent.OfGrant {

    /** Locations of the previous owner. */
    public enum Kind {
        /**
         * In this JVM: the lock was handed over in memory, or by a release while no other JVM was in the waiting line.
         */
        LOCAL,
        /** In another JVM: the store granted the lock and notified this one. */
        REMOTE
    }
}
