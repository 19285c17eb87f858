package io.github.lockstarter.store;

/** Minimum holds in memory. */
class InMemoryMinimumHoldTest extends MinimumHoldContract {

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
