package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** What a lock of a thread does, with the store in Redis. */
@RedisTest
class RedisLeaseLockTest {

    @Nested
    class Exclusion extends ExclusionContract {
        Exclusion(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class TryLock extends TryLockContract {
        TryLock(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class LockInterrupt extends LockInterruptContract {
        LockInterrupt(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Reentrancy extends ReentrancyContract {
        Reentrancy(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class NestedLease extends NestedLeaseContract {
        NestedLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockContract {
        ForceUnlock(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class FixedLease extends FixedLeaseContract {
        FixedLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class VirtualThread extends VirtualThreadContract {
        VirtualThread(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
