package io.github.lockstarter.lease;

import io.github.lockstarter.lease.event.ListenerQueue;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.LogQueue;
import java.time.Duration;

/** The threads of one run of a registry, which end together. */
record RunThreads(LockThreads threads, ListenerQueue listeners, LogQueue log) {

    /** Ends all threads; gives clean-ups, log lines and listeners a moment each. */
    void stop(Duration atMost) {
        this.threads.shutdown();
        this.listeners.shutdown();
        this.log.shutdown();
        try {
            this.threads.awaitCleanUp(atMost);
            this.log.awaitEnd(atMost.toMillis());
            this.listeners.awaitEnd(atMost.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        this.threads.shutdownNow();
    }
}
