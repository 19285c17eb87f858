package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** How a lock goes from one owner to the next, and what a stop and a start do; a subclass for each store. */
abstract class LifecycleContracts {

    abstract LockBackend newBackend();

    @Nested
    class HandOver extends HandOverContract {
        HandOver() {
            super(newBackend());
        }
    }

    @Nested
    class HandOverMix extends HandOverMixContract {
        HandOverMix() {
            super(newBackend());
        }
    }

    @Nested
    class BackgroundRelease extends BackgroundReleaseContract {
        BackgroundRelease() {
            super(newBackend());
        }
    }

    @Nested
    class Shutdown extends ShutdownContract {
        Shutdown() {
            super(newBackend());
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(newBackend());
        }
    }
}
