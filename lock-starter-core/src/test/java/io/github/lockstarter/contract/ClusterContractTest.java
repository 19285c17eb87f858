package io.github.lockstarter.contract;

import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts with the store in a Redis Cluster. */
@Tag("full")
@TopologyTest
class ClusterContractTest {

    @Nested
    class Lease extends LeaseContract {
        Lease(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class LockName extends LockNameContract {
        LockName(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        Exclusion(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class TryLock extends TryLockContract {
        TryLock(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockContract {
        ForceUnlock(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class AsyncAcquire extends AsyncAcquireContract {
        AsyncAcquire(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelContract {
        AsyncCancel(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Execute extends ExecuteContract {
        Execute(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossContract {
        ExecuteLoss(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class HandOver extends HandOverContract {
        HandOver(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class HandOverMix extends HandOverMixContract {
        HandOverMix(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Watchdog extends WatchdogContract {
        Watchdog(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Shutdown extends ShutdownContract {
        Shutdown(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Readers extends ReadersContract {
        Readers(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        Downgrade(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }
}
