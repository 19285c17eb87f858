package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;

/**
 * Failed attempts in a row to connect to Redis: the pause before the next one, and the log. An outage costs one WARN and
 * one INFO, however long it lasts. Used by one thread.
 */
final class ConnectionAttempts {

    private static final LockLog logger = LockLog.of(PrivateLink.class);

    static final long LONGEST_PAUSE_MILLIS = 1000;

    private static final long FIRST_PAUSE_MILLIS = 50;

    private final String servers;

    private int failures;

    private boolean warned;

    /**
     * Creates the count.
     *
     * @param servers for messages
     */
    ConnectionAttempts(String servers) {
        this.servers = servers;
    }

    /**
     * Logs a failed attempt. The first one is not logged as a WARN: a connection that broke is often back at once.
     *
     * @return milliseconds until the next attempt
     */
    long failed(Throwable failure) {
        String problem = RedisErrors.rootMessage(failure);
        if (this.failures == 0 || this.warned) {
            logger.debug("Attempt " + (this.failures + 1) + " to connect to " + this.servers
                    + " for distributed locks failed: " + problem);
        } else {
            this.warned = true;
            logger.warn("Cannot connect to " + this.servers + " for distributed locks: " + RedisErrors.sentence(problem)
                    + ' ' + RedisRemedies.ofConnecting(problem)
                    + " Attempts continue in the background; further failures are logged at DEBUG.");
        }
        return Math.min(FIRST_PAUSE_MILLIS << Math.min(this.failures++, 10), LONGEST_PAUSE_MILLIS);
    }

    /** Logs that the connection is there, if its absence was logged. */
    void succeeded() {
        if (this.warned) {
            logger.info("Connected to " + this.servers + " for distributed locks.");
        }
        this.failures = 0;
        this.warned = false;
    }
}
