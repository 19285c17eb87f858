package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Bodies under a lock, with the store in Redis. */
@RedisTest
class RedisExecuteTest {

    @Nested
    class Execute extends ExecuteContract {
        Execute(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossContract {
        ExecuteLoss(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ExecuteInterrupt extends ExecuteInterruptContract {
        ExecuteInterrupt(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ExecuteSeveral extends ExecuteSeveralContract {
        ExecuteSeveral(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
