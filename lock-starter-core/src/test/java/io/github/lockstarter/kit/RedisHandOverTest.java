package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** How a lock goes from one to the next, with the store in Redis. */
@RedisTest
class RedisHandOverTest {

    @Nested
    class HandOver extends HandOverKit {
        HandOver(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class HandOverMix extends HandOverMixKit {
        HandOverMix(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class HandOverStop extends HandOverStopKit {
        HandOverStop(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class BackgroundRelease extends BackgroundReleaseKit {
        BackgroundRelease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
