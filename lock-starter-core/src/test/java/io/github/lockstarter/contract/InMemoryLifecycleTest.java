package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** Start and stop, with the store in memory. */
class InMemoryLifecycleTest {

    @Nested
    class Shutdown extends ShutdownContract {
        Shutdown() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(new InMemoryBackend());
        }
    }
}
