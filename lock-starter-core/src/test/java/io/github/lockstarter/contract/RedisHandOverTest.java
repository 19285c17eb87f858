package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** How a lock goes from one to the next, with the store in Redis. */
@RedisTest
class RedisHandOverTest {

    @Nested
    class HandOver extends HandOverContract {
        HandOver(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class HandOverMix extends HandOverMixContract {
        HandOverMix(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class BackgroundRelease extends BackgroundReleaseContract {
        BackgroundRelease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
