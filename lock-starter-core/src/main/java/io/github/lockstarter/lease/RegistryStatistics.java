package io.github.lockstarter.lease;

import java.time.Duration;

/** What a registry is doing at this moment. */
public interface RegistryStatistics {

    /** Leases that are held, or on their way out. */
    int active();

    /** Acquisitions that wait, in the local queue or for the store. */
    int waiting();

    /** How late the watchdog is: time since the earliest look at a lease that is overdue; zero if none is. */
    Duration watchdogLag();

    /** Events that listeners never heard of, because they were too slow. */
    long droppedEvents();
}
