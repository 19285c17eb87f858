package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Acquiring without a thread, with the store in Redis. */
@RedisTest
class RedisAsyncAcquireTest {

    @Nested
    class AsyncAcquire extends AsyncAcquireContract {
        AsyncAcquire(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelContract {
        AsyncCancel(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
