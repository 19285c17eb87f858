package io.github.lockstarter.store;

/** Writers that become readers in memory. */
class InMemoryDowngradeTest extends DowngradeContract {

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
