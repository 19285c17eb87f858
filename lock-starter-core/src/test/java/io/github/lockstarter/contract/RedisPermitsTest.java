package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** What holders of permits do, with the store in Redis. */
@RedisTest
class RedisPermitsTest {

    @Nested
    class Permits extends PermitsContract {
        Permits(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class PermitsWait extends PermitsWaitContract {
        PermitsWait(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class PermitsLimit extends PermitsLimitContract {
        PermitsLimit(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
