package io.github.lockstarter;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A distributed {@link ReadWriteLock}: several readers, in any number of JVMs, or one writer. The write lock is the
 * plain lock of the same name, see {@link LockRegistry#getLock}. Both are reentrant. Thread-safe.
 *
 * <p>Requests are granted in the order of their arrival: a reader that arrives after a waiting writer waits behind it.
 * Readers of one JVM share one grant of the store for as long as {@code distributed-lock.handoff.max-time} after it was
 * made. Most of them therefore cause no I/O; after that time, a new reader queues in the store again. A nested hold of
 * a reader never queues.
 *
 * <p>A thread that holds the write lock can acquire the read lock, and keeps it when it unlocks the write lock
 * (downgrading). The opposite would be a deadlock of the thread with itself: a thread that holds the read lock and
 * acquires the write lock gets an {@link IllegalStateException}. The downgrade gives the reader a separate lease. A
 * {@link LeaseLock#currentLease} that the reader obtained earlier is the lease of the writer, and ends with it.
 *
 * <p>Fencing tokens: a writer's token is larger than all earlier ones. A reader's token is larger than the tokens of
 * all earlier writers and smaller than the tokens of all later writers; readers may share a token. {@link
 * LeaseLock#isLocked()} and {@link LeaseLock#forceUnlock()} of the read lock apply to readers only; {@code
 * forceUnlock()} of the write lock ends all grants.
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

    /** Returns the lock for reading. */
    @Override
    LeaseLock readLock();

    /** Returns the lock for writing. */
    @Override
    LeaseLock writeLock();
}
