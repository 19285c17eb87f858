package io.github.lockstarter.contract;

/** The contracts with the store in memory. */
class InMemoryLockTest extends LockContracts {

    @Override
    LockBackend newBackend() {
        return new InMemoryBackend();
    }
}
