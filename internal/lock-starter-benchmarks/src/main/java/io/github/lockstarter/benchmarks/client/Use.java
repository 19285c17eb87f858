package io.github.lockstarter.benchmarks.client;

/** What a client is opened for, where a contender has to know. */
public enum Use {
    /** Each thread uses locks of its own. */
    ALONE,
    /** Several threads and JVMs want the same lock. */
    CONTENDED,
    /** Locks are held for longer than their lease. */
    RENEWED
}
