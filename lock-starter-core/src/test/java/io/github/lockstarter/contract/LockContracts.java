package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What a thread does with a lock, and what runs under it; a subclass for each store. */
abstract class LockContracts {

    abstract LockBackend newBackend();

    @Nested
    class Exclusion extends ExclusionContract {
        Exclusion() {
            super(newBackend());
        }
    }

    @Nested
    class TryLock extends TryLockContract {
        TryLock() {
            super(newBackend());
        }
    }

    @Nested
    class LockInterrupt extends LockInterruptContract {
        LockInterrupt() {
            super(newBackend());
        }
    }

    @Nested
    class Reentrancy extends ReentrancyContract {
        Reentrancy() {
            super(newBackend());
        }
    }

    @Nested
    class NestedLease extends NestedLeaseContract {
        NestedLease() {
            super(newBackend());
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockContract {
        ForceUnlock() {
            super(newBackend());
        }
    }

    @Nested
    class FixedLease extends FixedLeaseContract {
        FixedLease() {
            super(newBackend());
        }
    }

    @Nested
    class VirtualThread extends VirtualThreadContract {
        VirtualThread() {
            super(newBackend());
        }
    }

    @Nested
    class Execute extends ExecuteContract {
        Execute() {
            super(newBackend());
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossContract {
        ExecuteLoss() {
            super(newBackend());
        }
    }

    @Nested
    class ExecuteInterrupt extends ExecuteInterruptContract {
        ExecuteInterrupt() {
            super(newBackend());
        }
    }

    @Nested
    class ExecuteSeveral extends ExecuteSeveralContract {
        ExecuteSeveral() {
            super(newBackend());
        }
    }
}
