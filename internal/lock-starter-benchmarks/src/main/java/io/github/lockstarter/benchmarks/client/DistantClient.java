package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.benchmarks.client.LockClient.AsyncHold;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** An instance of a contender whose calls are measured at a distance from Redis. No lease ends in a measurement. */
public interface DistantClient extends AutoCloseable {

    /** What is acquired. */
    enum Kind {
        LOCK,
        WRITER,
        READER,
        /** The only permit of a semaphore. */
        PERMIT
    }

    /** Takes one round trip over the same client as locks. */
    void ping();

    /** Acquires a lock. Returns what releases it. */
    Runnable lock(String name) throws InterruptedException;

    /** Acquires all locks by one call, runs the body, and releases them. */
    void withAll(List<String> names, Runnable body);

    CompletionStage<AsyncHold> acquireAsync(Kind kind, String name);

    /** Returns whether Redis knows of an instance that waits. */
    boolean isWaiting(RedisCli cli, String name);

    @Override
    void close();
}
