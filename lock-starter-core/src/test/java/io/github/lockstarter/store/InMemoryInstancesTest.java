package io.github.lockstarter.store;

/** Descriptions in memory. */
class InMemoryInstancesTest extends InstancesContract {

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
