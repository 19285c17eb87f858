package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** What a lease does, with the store in Redis. */
@RedisTest
class RedisLeaseTest {

    @Nested
    class Lease extends LeaseContract {
        Lease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class LockName extends LockNameContract {
        LockName(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class AbandonedLease extends AbandonedLeaseContract {
        AbandonedLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Extension extends ExtensionContract {
        Extension(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class MinHold extends MinHoldContract {
        MinHold(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Inventory extends InventoryContract {
        Inventory(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
