package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Start and stop, with the store in Redis. */
@RedisTest
class RedisLifecycleTest {

    @Nested
    class Shutdown extends ShutdownKit {
        Shutdown(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Restart extends RestartKit {
        Restart(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
