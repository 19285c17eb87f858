package io.github.lockstarter.contract;

/** The test class around contracts, which knows where their locks are kept. */
interface BackendSource {

    LockBackend newBackend();
}
