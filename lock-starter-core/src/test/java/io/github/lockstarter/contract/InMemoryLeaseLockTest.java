package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What a lock of a thread does, with the store in memory. */
class InMemoryLeaseLockTest {

    @Nested
    class Exclusion extends ExclusionContract {
        Exclusion() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class TryLock extends TryLockContract {
        TryLock() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class LockInterrupt extends LockInterruptContract {
        LockInterrupt() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Reentrancy extends ReentrancyContract {
        Reentrancy() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class NestedLease extends NestedLeaseContract {
        NestedLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockContract {
        ForceUnlock() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class FixedLease extends FixedLeaseContract {
        FixedLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class VirtualThread extends VirtualThreadContract {
        VirtualThread() {
            super(new InMemoryBackend());
        }
    }
}
