package io.github.lockstarter.benchmarks.worker;

import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.contention.Pause;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** A reader that goes on reading while another one is killed. For use by one thread. */
final class Reading {

    /** How long it reads, and what it does without the lock in between. */
    private static final Duration INTERVAL = Duration.ofMillis(1);

    private final LockClient client;

    Reading(LockClient client) {
        this.client = client;
    }

    void begin() {
        lock().lock();
    }

    /** Keeps the lock until the first moment, and then takes it again and again until the second. */
    void goOn(long holdUntilNanos, long readUntilNanos) {
        Pause.until(holdUntilNanos);
        lock().unlock();
        while (System.nanoTime() - readUntilNanos < 0) {
            Pause.until(System.nanoTime() + INTERVAL.toNanos());
            Lock lock = lock();
            lock.lock();
            try {
                Pause.until(System.nanoTime() + INTERVAL.toNanos());
            } finally {
                lock.unlock();
            }
        }
    }

    private Lock lock() {
        return this.client.getReadWriteLock(Worker.ORPHAN).readLock();
    }
}
