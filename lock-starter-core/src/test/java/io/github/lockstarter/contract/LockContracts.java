package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What threads, leases and bodies do with locks; a subclass for each store. */
abstract class LockContracts {

    abstract LockBackend newBackend();

    @Nested
    class Lock extends LockContract {
        Lock() {
            super(newBackend());
        }
    }

    @Nested
    class LockName extends LockNameContract {
        LockName() {
            super(newBackend());
        }
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(newBackend());
        }
    }

    @Nested
    class Lease extends LeaseContract {
        Lease() {
            super(newBackend());
        }
    }

    @Nested
    class Execute extends ExecuteContract {
        Execute() {
            super(newBackend());
        }
    }
}
