package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Nested;

/** What readers and writers do, with the store in Redis. */
@RedisTest
class RedisReadersTest {

    @Nested
    class Readers extends ReadersContract {
        Readers(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ReadersSharing extends ReadersSharingContract {
        ReadersSharing(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ReaderLease extends ReaderLeaseContract {
        ReaderLease(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class ReadersWait extends ReadersWaitContract {
        ReadersWait(RedisServer server) {
            super(new RedisBackend(server));
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        Downgrade(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
