package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** Start and stop, with the store in memory. */
class InMemoryLifecycleTest {

    @Nested
    class Shutdown extends ShutdownKit {
        Shutdown() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Restart extends RestartKit {
        Restart() {
            super(new InMemoryBackend());
        }
    }
}
