package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** Bodies under a lock, with the store in memory. */
class InMemoryExecuteTest {

    @Nested
    class Execute extends ExecuteContract {
        Execute() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossContract {
        ExecuteLoss() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ExecuteInterrupt extends ExecuteInterruptContract {
        ExecuteInterrupt() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ExecuteSeveral extends ExecuteSeveralContract {
        ExecuteSeveral() {
            super(new InMemoryBackend());
        }
    }
}
