package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** Acquiring without a thread, with the store in memory. */
class InMemoryAsyncAcquireTest {

    @Nested
    class AsyncAcquire extends AsyncAcquireContract {
        AsyncAcquire() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelContract {
        AsyncCancel() {
            super(new InMemoryBackend());
        }
    }
}
