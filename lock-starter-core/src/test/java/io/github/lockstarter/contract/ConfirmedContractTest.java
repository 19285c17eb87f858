package io.github.lockstarter.contract;

import io.github.lockstarter.fixture.MasterWithReplicas;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contracts with the store in Redis, where a replica confirms each grant and each renewal. */
@Tag("full")
@Tag("redis")
class ConfirmedContractTest extends Contracts {

    private static MasterWithReplicas servers;

    @BeforeAll
    static void start() {
        servers = new MasterWithReplicas(1);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    LockBackend newBackend() {
        return new RedisBackend(servers);
    }
}
