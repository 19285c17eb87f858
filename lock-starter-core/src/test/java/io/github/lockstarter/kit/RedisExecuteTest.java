package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Bodies under a lock, with the store in Redis. */
@RedisTest
class RedisExecuteTest {

    @Nested
    class Execute extends ExecuteKit {
        Execute(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossKit {
        ExecuteLoss(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ExecuteInterrupt extends ExecuteInterruptKit {
        ExecuteInterrupt(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
