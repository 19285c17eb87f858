package io.github.lockstarter.store;

/** Permits in memory. */
class InMemoryPermitsTest extends PermitsContract {

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
