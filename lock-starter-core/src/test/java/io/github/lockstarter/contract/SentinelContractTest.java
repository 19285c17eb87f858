package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Tag;

/**
 * The contracts with the store in Redis behind Sentinels, which without a failover is a single server that is found in
 * another way.
 */
@Tag("full")
@TopologyTest
class SentinelContractTest extends Contracts {

    private final RedisSentinels sentinels;

    SentinelContractTest(RedisSentinels sentinels) {
        this.sentinels = sentinels;
    }

    @Override
    public LockBackend newBackend() {
        return new RedisBackend(this.sentinels);
    }
}
