package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts with the store in a Redis Cluster. */
@Tag("full")
@TopologyTest
class ClusterContractTest {

    private final RedisCluster cluster;

    ClusterContractTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    private LockBackend backend() {
        return new RedisBackend(this.cluster);
    }

    @Nested
    class Locks extends LockContracts {
        @Override
        LockBackend newBackend() {
            return backend();
        }
    }

    @Nested
    class Shared extends SharedContracts {
        @Override
        LockBackend newBackend() {
            return backend();
        }
    }
}
