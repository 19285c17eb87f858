package io.github.lockstarter.contract;

/** The contracts with the store in memory. */
class InMemoryLifecycleTest extends LifecycleContracts {

    @Override
    LockBackend newBackend() {
        return new InMemoryBackend();
    }
}
