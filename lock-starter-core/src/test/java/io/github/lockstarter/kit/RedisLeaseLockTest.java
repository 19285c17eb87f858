package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** What a lock of a thread does, with the store in Redis. */
@RedisTest
class RedisLeaseLockTest {

    @Nested
    class Exclusion extends ExclusionKit {
        Exclusion(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class TryLock extends TryLockKit {
        TryLock(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class LockInterrupt extends LockInterruptKit {
        LockInterrupt(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Reentrancy extends ReentrancyKit {
        Reentrancy(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class NestedLease extends NestedLeaseKit {
        NestedLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockKit {
        ForceUnlock(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class FixedLease extends FixedLeaseKit {
        FixedLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class VirtualThread extends VirtualThreadKit {
        VirtualThread(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
