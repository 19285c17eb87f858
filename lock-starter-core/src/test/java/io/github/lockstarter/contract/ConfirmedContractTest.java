package io.github.lockstarter.contract;

import io.github.lockstarter.fixture.MasterWithReplicas;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contracts with the store in Redis, where a replica confirms each grant and each renewal. */
@Tag("full")
@Tag("redis")
class ConfirmedContractTest extends Contracts {

    @AutoClose
    private static MasterWithReplicas servers;

    @BeforeAll
    static void start() {
        servers = new MasterWithReplicas(1);
    }

    @Override
    public LockBackend newBackend() {
        return new RedisBackend(servers);
    }
}
