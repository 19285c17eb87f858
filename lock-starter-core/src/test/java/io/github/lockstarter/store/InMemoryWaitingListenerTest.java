package io.github.lockstarter.store;

/** What registries hear that share one store in memory. */
class InMemoryWaitingListenerTest extends WaitingListenerContract {

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
