package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;

/**
 * Counts consecutive failures to connect, determines the pause before the next attempt, and logs. An outage causes one
 * WARN and one INFO here, however long it lasts; what Lettuce logs is its own. Not thread-safe; used by one thread at a
 * time, except {@link #startedWithout}.
 */
final class ConnectionAttempts {

    private static final LockLog logger = LockLog.of(ConnectionAttempts.class);

    static final long MAX_PAUSE_MILLIS = 1000;

    private static final long FIRST_PAUSE_MILLIS = 50;

    private final String servers;

    private int failures;

    private boolean warned;

    private volatile boolean startedWithout;

    /**
     * Creates the counter.
     *
     * @param servers the servers as messages name them, without credentials
     */
    ConnectionAttempts(String servers) {
        this.servers = servers;
    }

    /**
     * Records and logs a failed attempt. The first one is logged at DEBUG, because most broken connections are back at
     * once.
     *
     * @return milliseconds until the next attempt
     */
    long failed(Throwable failure) {
        if (this.failures == 0 || this.warned) {
            logger.debug("Attempt " + (this.failures + 1) + " to connect to " + this.servers
                    + " for distributed locks failed: " + RedisErrors.rootMessage(failure));
        } else {
            this.warned = true;
            logger.warn("Cannot connect to " + this.servers + " for distributed locks: "
                    + RedisErrors.connectFailure(failure)
                    + " Attempts continue in the background; further failures are logged at DEBUG.");
        }
        return Math.min(FIRST_PAUSE_MILLIS << Math.min(this.failures++, 10), MAX_PAUSE_MILLIS);
    }

    /** Records that the start reports a missing connection. The first connection is then logged. */
    void startedWithout() {
        this.startedWithout = true;
    }

    /** Resets the count, and logs the connection if its absence was logged. */
    void succeeded() {
        if (this.warned || this.startedWithout) {
            logger.info("Connected to " + this.servers + " for distributed locks.");
        }
        this.failures = 0;
        this.warned = false;
        this.startedWithout = false;
    }
}
