package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** What a lease does, with the store in Redis. */
@RedisTest
class RedisLeaseTest {

    @Nested
    class Lease extends LeaseKit {
        Lease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Acquire extends AcquireKit {
        Acquire(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class LockName extends LockNameKit {
        LockName(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class AbandonedLease extends AbandonedLeaseKit {
        AbandonedLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Extension extends ExtensionKit {
        Extension(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class MinHold extends MinHoldKit {
        MinHold(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Inventory extends InventoryKit {
        Inventory(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
