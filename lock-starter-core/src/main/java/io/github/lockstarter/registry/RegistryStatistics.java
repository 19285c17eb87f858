package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.function.ObjLongConsumer;

/** Figures of a registry at this moment. */
public interface RegistryStatistics {

    /** Returns the number of leases that are held or being released. */
    int active();

    /** Returns the number of acquisitions that wait, in the local queue or for the store. */
    int waiting();

    /**
     * Visits the leases that are held, each with the static name of its lock and the nanoseconds since its grant.
     * Allocates nothing for a lease; the duration grows with their number.
     */
    void forEachHold(ObjLongConsumer<String> visitor);

    /**
     * Returns how late the watchdog is: time since the first overdue check of a lease was due; zero if none is overdue.
     */
    Duration watchdogLag();

    /** Returns the number of events that were dropped because listeners were too slow. */
    long droppedEvents();

    /** Returns the number of messages that were rejected, because no store has sent them. */
    long rejectedMessages();
}
