package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What a lease does, with the store in memory. */
class InMemoryLeaseTest {

    @Nested
    class Lease extends LeaseContract {
        Lease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class LockName extends LockNameContract {
        LockName() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class AbandonedLease extends AbandonedLeaseContract {
        AbandonedLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Extension extends ExtensionContract {
        Extension() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class MinHold extends MinHoldContract {
        MinHold() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Inventory extends InventoryContract {
        Inventory() {
            super(new InMemoryBackend());
        }
    }
}
