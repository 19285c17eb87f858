package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** All contracts; a subclass for each store. */
abstract class Contracts {

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

    @Nested
    class Listener extends ListenerContract {
        Listener() {
            super(newBackend());
        }
    }

    @Nested
    class Lifecycle extends LifecycleContract {
        Lifecycle() {
            super(newBackend());
        }
    }

    @Nested
    class Readers extends ReadersContract {
        Readers() {
            super(newBackend());
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(newBackend());
        }
    }
}
