package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contracts with the store in Redis behind Sentinels. Without a failover this is a single server that is found in
 * another way, so one contract of each kind suffices.
 */
@Tag("full")
@TopologyTest
class SentinelContractTest {

    @Nested
    class Lease extends LeaseContract {
        Lease(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class TryLock extends TryLockContract {
        TryLock(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class AsyncAcquire extends AsyncAcquireContract {
        AsyncAcquire(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Execute extends ExecuteContract {
        Execute(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class HandOver extends HandOverContract {
        HandOver(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Watchdog extends WatchdogContract {
        Watchdog(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Readers extends ReadersContract {
        Readers(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        Downgrade(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits(RedisSentinels sentinels) {
            super(new RedisBackend(sentinels));
        }
    }
}
