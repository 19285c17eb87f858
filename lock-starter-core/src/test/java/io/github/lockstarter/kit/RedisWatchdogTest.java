package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Renewal, and those who listen, with the store in Redis. */
@RedisTest
class RedisWatchdogTest {

    @Nested
    class Watchdog extends WatchdogKit {
        Watchdog(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Listener extends ListenerKit {
        Listener(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
