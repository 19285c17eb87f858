package io.github.lockstarter.contract;

/** The contracts with the store in memory. */
class InMemoryLeaseTest extends LeaseContracts {

    @Override
    LockBackend newBackend() {
        return new InMemoryBackend();
    }
}
