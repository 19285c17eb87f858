package io.github.lockstarter.registry;

import io.github.lockstarter.store.MessageStatus;
import java.time.Duration;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** Present figures of a registry. */
public interface RegistryStatistics {

    /** Returns the number of leases that are held or being released. */
    int active();

    /** Returns the number of acquisitions that wait, in the local queue or for the store. */
    int waiting();

    /**
     * Visits the leases that are held, with the static name of the lock and the nanoseconds since the grant. Allocates
     * nothing for a lease; the duration grows with the number of leases.
     */
    void forEachHold(ObjLongConsumer<String> visitor);

    /**
     * Returns the delay of the watchdog: the time since the earliest overdue check of a lease was due, or zero if none
     * is overdue.
     */
    Duration watchdogLag();

    /** Returns the number of events that were dropped because listeners were too slow. */
    long droppedEvents();

    /** Returns the number of messages that were rejected, because no store has sent them. */
    long rejectedMessages();

    /** Returns how waiters of other instances are notified, or {@code null} if the store has no such instances. */
    default @Nullable MessageStatus messages() {
        return null;
    }
}
