package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** Bodies under a lock, with the store in memory. */
class InMemoryExecuteTest {

    @Nested
    class Execute extends ExecuteKit {
        Execute() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossKit {
        ExecuteLoss() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ExecuteInterrupt extends ExecuteInterruptKit {
        ExecuteInterrupt() {
            super(new InMemoryBackend());
        }
    }
}
