package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What a lease does, how long it lasts, and of what listeners are notified; a subclass for each store. */
abstract class LeaseContracts {

    abstract LockBackend newBackend();

    @Nested
    class Lease extends LeaseContract {
        Lease() {
            super(newBackend());
        }
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(newBackend());
        }
    }

    @Nested
    class LockName extends LockNameContract {
        LockName() {
            super(newBackend());
        }
    }

    @Nested
    class AbandonedLease extends AbandonedLeaseContract {
        AbandonedLease() {
            super(newBackend());
        }
    }

    @Nested
    class Extension extends ExtensionContract {
        Extension() {
            super(newBackend());
        }
    }

    @Nested
    class MinHold extends MinHoldContract {
        MinHold() {
            super(newBackend());
        }
    }

    @Nested
    class Inventory extends InventoryContract {
        Inventory() {
            super(newBackend());
        }
    }

    @Nested
    class AsyncAcquire extends AsyncAcquireContract {
        AsyncAcquire() {
            super(newBackend());
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelContract {
        AsyncCancel() {
            super(newBackend());
        }
    }

    @Nested
    class Watchdog extends WatchdogContract {
        Watchdog() {
            super(newBackend());
        }
    }

    @Nested
    class Listener extends ListenerContract {
        Listener() {
            super(newBackend());
        }
    }
}
