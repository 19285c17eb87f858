package io.github.lockstarter.store;

/** Locks and lines in memory. */
class InMemoryLineStatusTest extends LineStatusContract {

    private final LockStore store = new InMemoryLockStore();

    @Override
    LockStore newStore() {
        return this.store;
    }

    @Override
    void awaitReachable(StoreInstance instance) {
        instance.store().prepareWaiting();
    }
}
