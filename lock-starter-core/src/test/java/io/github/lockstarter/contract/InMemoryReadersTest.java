package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** What readers and writers do, with the store in memory. */
class InMemoryReadersTest {

    @Nested
    class Readers extends ReadersContract {
        Readers() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ReadersSharing extends ReadersSharingContract {
        ReadersSharing() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ReaderLease extends ReaderLeaseContract {
        ReaderLease() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class ReadersWait extends ReadersWaitContract {
        ReadersWait() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        Downgrade() {
            super(new InMemoryBackend());
        }
    }
}
