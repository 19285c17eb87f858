package io.github.lockstarter.lease;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts what goes on, and lets the shutdown wait for the last of it. */
final class Census {

    private final AtomicInteger count = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition drained = this.lock.newCondition();

    void began() {
        this.count.incrementAndGet();
    }

    void ended() {
        if (this.count.decrementAndGet() == 0) {
            this.lock.lock();
            try {
                this.drained.signalAll();
            } finally {
                this.lock.unlock();
            }
        }
    }

    int count() {
        return this.count.get();
    }

    /** Waits until none is left; false if the time was up first or the thread was interrupted. */
    boolean awaitNone(Duration atMost) {
        long left = atMost.toNanos();
        this.lock.lock();
        try {
            while (this.count.get() > 0) {
                if (left <= 0) {
                    return false;
                }
                left = this.drained.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            this.lock.unlock();
        }
    }
}
