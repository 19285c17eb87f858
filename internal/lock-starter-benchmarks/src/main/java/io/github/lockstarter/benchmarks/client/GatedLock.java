package io.github.lockstarter.benchmarks.client;

import java.util.concurrent.locks.Lock;

/** Lets one thread of this JVM through to the lock behind, in order of arrival. */
final class GatedLock extends PlainLock {

    private final Lock gate;

    private final Lock behind;

    GatedLock(Lock gate, Lock behind) {
        this.gate = gate;
        this.behind = behind;
    }

    @Override
    public void lock() {
        this.gate.lock();
        this.behind.lock();
    }

    @Override
    public void unlock() {
        try {
            this.behind.unlock();
        } finally {
            this.gate.unlock();
        }
    }
}
