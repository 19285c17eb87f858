package io.github.lockstarter.benchmarks.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The floor's lock: asks Redis once a millisecond. For one use by one thread. */
final class PollingLock extends PlainLock {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Floor floor;

    private final String key;

    private final String token;

    PollingLock(Floor floor, String key) {
        this.floor = floor;
        this.key = key;
        this.token = floor.nextToken();
    }

    @Override
    public void lock() {
        while (!this.floor.acquire(this.key, this.token)) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void unlock() {
        if (!this.floor.release(this.key, this.token)) {
            throw new IllegalStateException("The floor has lost '" + this.key + "'");
        }
    }
}
