package io.github.lockstarter.benchmarks.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock that can be locked and unlocked, which is all that is measured. */
abstract class PlainLock implements Lock {

    @Override
    public final void lockInterruptibly() {
        throw new UnsupportedOperationException();
    }

    @Override
    public final boolean tryLock() {
        throw new UnsupportedOperationException();
    }

    @Override
    public final boolean tryLock(long time, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public final Condition newCondition() {
        throw new UnsupportedOperationException();
    }
}
