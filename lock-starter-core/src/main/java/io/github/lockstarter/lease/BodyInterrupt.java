package io.github.lockstarter.lease;

import io.github.lockstarter.LossReason;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Interrupts the thread of a body when its lease is lost. The interrupt and the end of the body exclude each other, so
 * that the interrupt cannot reach what the thread does afterwards.
 */
final class BodyInterrupt implements Consumer<LossReason> {

    private final Thread thread = Thread.currentThread();

    private final ReentrantLock lock = new ReentrantLock();

    private boolean ended;

    private boolean interrupted;

    @Override
    public void accept(LossReason reason) {
        this.lock.lock();
        try {
            if (!this.ended) {
                // An interrupt of another origin must not be cleared.
                this.interrupted = !this.thread.isInterrupted();
                this.thread.interrupt();
            }
        } finally {
            this.lock.unlock();
        }
    }

    /** Ends the body; clears an interrupt of this object that the body did not consume. Called by the thread of the body. */
    void end() {
        this.lock.lock();
        try {
            this.ended = true;
            if (this.interrupted) {
                Thread.interrupted();
            }
        } finally {
            this.lock.unlock();
        }
    }
}
