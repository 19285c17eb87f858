package io.github.lockstarter.benchmarks.contention;

/**
 * What threads do between acquiring and releasing, and who may be inside meanwhile. For use by one thread at a time.
 */
interface Section {

    /** To be called with the lock held; returns what {@link #leave} has to be given. */
    long enter(long token);

    /** To be called before the lock is given back. */
    void leave(long entriesBefore);
}
