package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** Events, the life of a registry, readers and permits; a subclass for each store. */
abstract class SharedContracts {

    abstract LockBackend newBackend();

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
