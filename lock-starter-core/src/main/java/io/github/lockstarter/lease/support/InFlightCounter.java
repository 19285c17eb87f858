package io.github.lockstarter.lease.support;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts operations in flight, and lets the shutdown wait until none is left. Safe for use by several threads. */
public final class InFlightCounter {

    private final AtomicInteger count = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition drained = this.lock.newCondition();

    public void began() {
        this.count.incrementAndGet();
    }

    public void ended() {
        if (this.count.decrementAndGet() == 0) {
            this.lock.lock();
            try {
                this.drained.signalAll();
            } finally {
                this.lock.unlock();
            }
        }
    }

    public int count() {
        return this.count.get();
    }

    /** Waits until no operation is in flight; returns false if the time was up first or the thread was interrupted. */
    public boolean awaitNone(Duration atMost) {
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
