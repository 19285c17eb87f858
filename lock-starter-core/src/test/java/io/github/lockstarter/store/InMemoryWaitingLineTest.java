package io.github.lockstarter.store;

/** Waiting for locks in memory: registries that share one store. */
class InMemoryWaitingLineTest extends WaitingLineContract {

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
