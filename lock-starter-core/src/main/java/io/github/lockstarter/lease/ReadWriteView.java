package io.github.lockstarter.lease;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;

/** The two locks of a name. Has no state of its own. */
record ReadWriteView(LeaseLock readLock, LeaseLock writeLock) implements LeaseReadWriteLock {

    @Override
    public String toString() {
        return "LeaseReadWriteLock[" + this.writeLock + ']';
    }
}
