package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Start and stop, with the store in Redis. */
@RedisTest
class RedisLifecycleTest {

    @Nested
    class Shutdown extends ShutdownContract {
        Shutdown(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
