package io.github.lockstarter.kit;

import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import org.junit.jupiter.api.Nested;

/** What does not depend on where the locks are kept, with the store in a Redis Cluster. */
@TopologyTest
class ClusterKitTest {

    @Nested
    class Lease extends LeaseKit {
        Lease(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Acquire extends AcquireKit {
        Acquire(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class LockName extends LockNameKit {
        LockName(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Exclusion extends ExclusionKit {
        Exclusion(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class TryLock extends TryLockKit {
        TryLock(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class ForceUnlock extends ForceUnlockKit {
        ForceUnlock(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class AsyncAcquire extends AsyncAcquireKit {
        AsyncAcquire(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class AsyncCancel extends AsyncCancelKit {
        AsyncCancel(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Execute extends ExecuteKit {
        Execute(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class ExecuteLoss extends ExecuteLossKit {
        ExecuteLoss(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class HandOver extends HandOverKit {
        HandOver(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class HandOverMix extends HandOverMixKit {
        HandOverMix(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class HandOverStop extends HandOverStopKit {
        HandOverStop(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Watchdog extends WatchdogKit {
        Watchdog(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }

        @Override
        long mostCommandsFor(long renewals) {
            // each key may be in a slot of its own
            return 2 * renewals;
        }
    }

    @Nested
    class Shutdown extends ShutdownKit {
        Shutdown(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }

    @Nested
    class Restart extends RestartKit {
        Restart(RedisCluster cluster) {
            super(new RedisBackend(cluster));
        }
    }
}
