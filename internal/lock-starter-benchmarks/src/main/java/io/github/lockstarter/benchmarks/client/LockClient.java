package io.github.lockstarter.benchmarks.client;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** One contender in one JVM, with connections of its own. */
public interface LockClient extends AutoCloseable {

    /** What {@link #token} says of a contender that has none. */
    long NO_TOKEN = -1;

    /** The lock of that name, as an application would ask for it each time it needs it. */
    Lock getLock(String name);

    /** The lock for readers and writers of that name. Not every contender has one. */
    default ReadWriteLock getReadWriteLock(String name) {
        throw new UnsupportedOperationException(name);
    }

    /**
     * Takes a permit of a semaphore, as soon as one is left; returns what gives it back. Not every contender has one.
     *
     * @param permits as many as may be taken at the same time, the same number for all calls with that name
     */
    default Runnable takePermit(String name, int permits) throws InterruptedException {
        throw new UnsupportedOperationException(name);
    }

    /** The fencing token of a lock that the calling thread holds. */
    default long token(Lock held) {
        return NO_TOKEN;
    }

    /**
     * Takes a lock for long. Returns what its holder has to keep until it gives the lock back: nothing, where the lock
     * can be asked for again by its name.
     */
    default Object hold(String name) throws InterruptedException {
        getLock(name).lock();
        return this;
    }

    /** A lock that belongs to no thread. */
    interface AsyncHold {

        CompletionStage<?> release();
    }

    /** Acquires a lock for which no thread waits, with the contender's default wait. Not every contender can do so. */
    default CompletionStage<AsyncHold> holdAsync(String name) {
        throw new UnsupportedOperationException(name);
    }

    /** Locks and unlocks: there is nothing in between that could fail. */
    @SuppressWarnings("LockNotBeforeTry")
    default void pair(String name) {
        Lock lock = getLock(name);
        lock.lock();
        lock.unlock();
    }

    /** So that classes, scripts and connections are there before the first measurement. */
    default void warmUp() {
        for (int i = 0; i < 20; i++) {
            pair("warm-up:" + i);
        }
    }

    @Override
    void close();
}
