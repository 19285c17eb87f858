package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** Renewal, and those who listen, with the store in Redis. */
@RedisTest
class RedisWatchdogTest {

    @Nested
    class Watchdog extends WatchdogContract {
        Watchdog(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Listener extends ListenerContract {
        Listener(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
