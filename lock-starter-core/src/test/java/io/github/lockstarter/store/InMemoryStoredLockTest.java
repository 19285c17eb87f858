package io.github.lockstarter.store;

/** Locks and lines in memory. */
class InMemoryStoredLockTest extends StoredLockContract {

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
