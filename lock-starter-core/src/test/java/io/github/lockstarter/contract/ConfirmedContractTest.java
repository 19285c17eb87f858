package io.github.lockstarter.contract;

import io.github.lockstarter.fixture.MasterWithReplicas;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts with the store in Redis, where a replica confirms each grant and each renewal. */
@Tag("full")
@Tag("redis")
class ConfirmedContractTest {

    private static MasterWithReplicas servers;

    @BeforeAll
    static void start() {
        servers = new MasterWithReplicas(1);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Nested
    class Lease extends LeaseContract {
        Lease() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class TryLock extends TryLockContract {
        TryLock() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class AsyncAcquire extends AsyncAcquireContract {
        AsyncAcquire() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelContract {
        AsyncCancel() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class HandOverMix extends HandOverMixContract {
        HandOverMix() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class Watchdog extends WatchdogContract {
        Watchdog() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class Extension extends ExtensionContract {
        Extension() {
            super(new RedisBackend(servers));
        }
    }

    @Nested
    class PermitsLimit extends PermitsLimitContract {
        PermitsLimit() {
            super(new RedisBackend(servers));
        }
    }
}
