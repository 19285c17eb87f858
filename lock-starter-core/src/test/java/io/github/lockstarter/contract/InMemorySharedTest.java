package io.github.lockstarter.contract;

/** The contracts with the store in memory. */
class InMemorySharedTest extends SharedContracts {

    @Override
    LockBackend newBackend() {
        return new InMemoryBackend();
    }
}
