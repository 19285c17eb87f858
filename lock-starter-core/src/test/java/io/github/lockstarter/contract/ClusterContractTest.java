package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Tag;

/** The contracts with the store in a Redis Cluster. */
@Tag("full")
@TopologyTest
class ClusterContractTest extends Contracts {

    private final RedisCluster cluster;

    ClusterContractTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public LockBackend newBackend() {
        return new RedisBackend(this.cluster);
    }
}
