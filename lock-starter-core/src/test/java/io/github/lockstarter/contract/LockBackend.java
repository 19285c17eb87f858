package io.github.lockstarter.contract;

import io.github.lockstarter.store.LockStore;
import java.time.Duration;
import java.util.Collection;

/** Where the locks of a test are kept, and how they look from outside of the code under test. */
interface LockBackend extends AutoCloseable {

    /** A store for one more JVM, with everything of its own. */
    LockStore newStore();

    /** The locks that are held or kept now. */
    Collection<String> locked();

    /** Time left of the lock; zero if it is free. Only for names that need no encoding. */
    Duration remaining(String lockName);

    /** How many stand in line for the lock, the owner not included. Only for names that need no encoding. */
    int inLine(String lockName);

    /** Commands that were ever sent for a lock. */
    long commands();

    @Override
    void close();
}
