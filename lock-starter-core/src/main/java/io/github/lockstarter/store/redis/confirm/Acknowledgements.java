package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.script.LockKeys;
import java.time.Duration;

/**
 * How many replicas must acknowledge a write, how long each attempt waits for them, and the exceptions that report that
 * they did not. Immutable.
 */
final class Acknowledgements {

    static final String PROPERTY = "distributed-lock.redis.confirm-replicas";

    private final int required;

    private final Duration timeout;

    private final LockKeys keys;

    /**
     * Creates the rule.
     *
     * @param required how many replicas must acknowledge, at least one
     * @param timeout how long a grant may take together with its confirmation
     */
    Acknowledgements(int required, Duration timeout, LockKeys keys) {
        this.required = required;
        this.timeout = timeout;
        this.keys = keys;
    }

    int required() {
        return this.required;
    }

    Duration timeout() {
        return this.timeout;
    }

    /**
     * Returns the timeout of {@code WAIT} in milliseconds. A grant waits at most for the end of one other pair and for its
     * own, and both must fit into one command timeout together with the acquire. A server that has nothing else to do
     * ends a {@code WAIT} up to 100 ms late.
     */
    long waitMillis() {
        long millis = this.timeout.toMillis();
        return Math.max(1, Math.max(millis / 4, millis * 2 / 5 - 100));
    }

    boolean areEnough(long acknowledged) {
        return acknowledged >= this.required;
    }

    /** Creates the exception for a lock that too few replicas have acknowledged. */
    LockStoreException tooFew(String lockName, long acknowledged) {
        return new LockStoreException(
                "Redis did not confirm " + this.keys.describe(lockName) + ": " + shortage(acknowledged),
                null,
                true,
                true);
    }

    /** Creates the exception for a lock about which there was no answer within the timeout. */
    LockStoreException noAnswer(String lockName) {
        return new LockStoreException(
                "Redis did not confirm " + this.keys.describe(lockName) + " within " + this.timeout.toMillis() + " ms: "
                        + PROPERTY + '=' + this.required
                        + " makes a grant wait for its replicas. Check that Redis and its replicas are not overloaded, or"
                        + " raise distributed-lock.redis.command-timeout.",
                null,
                true,
                true);
    }

    /** Returns how many replicas have acknowledged a write, and what to do about it, as the end of a sentence. */
    String shortage(long acknowledged) {
        return acknowledged + " of " + this.required + " replicas acknowledged it within " + waitMillis() + " ms. Check"
                + " that the master has " + this.required
                + " replicas that are connected and keep up (INFO replication),"
                + " or lower " + PROPERTY + '.';
    }
}
