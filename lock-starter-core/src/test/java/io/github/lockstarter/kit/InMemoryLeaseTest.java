package io.github.lockstarter.kit;

import org.junit.jupiter.api.Nested;

/** What a lease does, with the store in memory. */
class InMemoryLeaseTest {

    @Nested
    class Lease extends LeaseKit {
        Lease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Acquire extends AcquireKit {
        Acquire() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class LockName extends LockNameKit {
        LockName() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class AbandonedLease extends AbandonedLeaseKit {
        AbandonedLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Extension extends ExtensionKit {
        Extension() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class MinHold extends MinHoldKit {
        MinHold() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Inventory extends InventoryKit {
        Inventory() {
            super(new InMemoryBackend());
        }
    }
}
