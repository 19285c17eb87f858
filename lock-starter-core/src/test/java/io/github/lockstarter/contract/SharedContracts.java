package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What readers, writers and holders of permits do; a subclass for each store. */
abstract class SharedContracts {

    abstract LockBackend newBackend();

    @Nested
    class Readers extends ReadersContract {
        Readers() {
            super(newBackend());
        }
    }

    @Nested
    class ReadersSharing extends ReadersSharingContract {
        ReadersSharing() {
            super(newBackend());
        }
    }

    @Nested
    class ReaderLease extends ReaderLeaseContract {
        ReaderLease() {
            super(newBackend());
        }
    }

    @Nested
    class ReadersWait extends ReadersWaitContract {
        ReadersWait() {
            super(newBackend());
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        Downgrade() {
            super(newBackend());
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(newBackend());
        }
    }

    @Nested
    class PermitsWait extends PermitsWaitContract {
        PermitsWait() {
            super(newBackend());
        }
    }

    @Nested
    class PermitsLimit extends PermitsLimitContract {
        PermitsLimit() {
            super(newBackend());
        }
    }
}
