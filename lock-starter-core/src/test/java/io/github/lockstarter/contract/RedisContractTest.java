package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;

/** The contracts with the store in Redis. */
@RedisTest
class RedisContractTest extends Contracts {

    private final RedisServer server;

    RedisContractTest(RedisServer server) {
        this.server = server;
    }

    @Override
    public LockBackend newBackend() {
        return new RedisBackend(this.server);
    }
}
