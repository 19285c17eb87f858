package io.github.lockstarter.store;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.AfterEach;

/** Locks and lines in Redis. */
@RedisTest
class RedisStoredLockTest extends StoredLockContract {

    private final RedisStores stores;

    RedisStoredLockTest(RedisServer server, RedisCli redis) {
        this.stores = new RedisStores(server.port(), redis);
    }

    @Override
    LockStore newStore() {
        return this.stores.newStore();
    }

    @Override
    void awaitReachable(StoreInstance instance) {
        this.stores.awaitReachable(instance);
    }

    @AfterEach
    void close() {
        this.stores.close();
    }
}
