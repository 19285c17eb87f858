package io.github.lockstarter.store;

/** Readers and writers in memory. */
class InMemoryReadersTest extends ReadersContract {

    private final LockStore store = new InMemoryLockStore();

    @Override
    LockStore newStore() {
        return this.store;
    }

    @Override
    LockStore newPollingStore() {
        return this.store;
    }

    @Override
    void awaitReachable(StoreInstance instance) {
        instance.store().prepareWaiting();
    }
}
