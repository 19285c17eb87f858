package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** Acquiring without a thread, with the store in memory. */
class InMemoryAsyncAcquireTest {

    @Nested
    class AsyncAcquire extends AsyncAcquireKit {
        AsyncAcquire() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelKit {
        AsyncCancel() {
            super(new InMemoryBackend());
        }
    }
}
