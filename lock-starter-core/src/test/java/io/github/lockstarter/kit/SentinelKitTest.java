package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Nested;

/**
 * What does not depend on where the locks are kept, with the store in Redis behind Sentinels. While nothing fails over, it
 * is a single server to which the way is another one; so one kit of each kind will do.
 */
@TopologyTest
class SentinelKitTest {

    @Nested
    class Lease extends LeaseKit {
        Lease(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class TryLock extends TryLockKit {
        TryLock(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class AsyncAcquire extends AsyncAcquireKit {
        AsyncAcquire(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Execute extends ExecuteKit {
        Execute(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class HandOver extends HandOverKit {
        HandOver(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class HandOverStop extends HandOverStopKit {
        HandOverStop(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Watchdog extends WatchdogKit {
        Watchdog(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Restart extends RestartKit {
        Restart(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }
}
