package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** What a lock of a thread does, with the store in memory. */
class InMemoryLeaseLockTest {

    @Nested
    class Exclusion extends ExclusionKit {
        Exclusion() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class TryLock extends TryLockKit {
        TryLock() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class LockInterrupt extends LockInterruptKit {
        LockInterrupt() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Reentrancy extends ReentrancyKit {
        Reentrancy() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class NestedLease extends NestedLeaseKit {
        NestedLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockKit {
        ForceUnlock() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class FixedLease extends FixedLeaseKit {
        FixedLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class VirtualThread extends VirtualThreadKit {
        VirtualThread() {
            super(new InMemoryBackend());
        }
    }
}
