package io.github.lockstarter.store;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.AfterEach;

/** Readers and writers in Redis. */
@RedisTest
class RedisReadersTest extends ReadersContract {

    private final RedisStores stores;

    RedisReadersTest(RedisServer server, RedisCli redis) {
        this.stores = new RedisStores(server.port(), redis);
    }

    @Override
    LockStore newStore() {
        return this.stores.newStore();
    }

    @Override
    LockStore newPollingStore() {
        return this.stores.newPollingStore();
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
