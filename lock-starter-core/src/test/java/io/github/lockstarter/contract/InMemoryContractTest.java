package io.github.lockstarter.contract;

/** The contracts with the store in memory. */
class InMemoryContractTest extends Contracts {

    @Override
    public LockBackend newBackend() {
        return new InMemoryBackend();
    }
}
