package io.github.lockstarter.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A writer that goes on as a reader, in a cluster: on each shard, by one command to the master of the lock. */
@TopologyTest
@SuppressWarnings("LockNotBeforeTry") // holds that end out of order are the subject
class ClusterDowngradeTest {

    @AutoClose
    private final Instances instances = new Instances();

    @Test
    void shouldTurnAWriterIntoAReaderOnEachShard(RedisCluster cluster) throws Exception {
        Instance instance = this.instances.at(Servers.of(cluster), Setup::calm);
        Instance other = this.instances.at(Servers.of(cluster), Setup::calm);
        for (int i = 0; i < 12; i++) {
            String name = "stock:" + i;
            LockRequest once = LockRequest.of(name).withWaitTime(Duration.ZERO);
            LeaseReadWriteLock lock = instance.registry().getReadWriteLock("stock", Integer.toString(i));
            lock.writeLock().lock();
            lock.readLock().lock();
            long token = lock.writeLock().currentLease().fencingToken();

            lock.writeLock().unlock();

            assertThat(lock.readLock().currentLease().fencingToken())
                    .as("token of the reader of lock %s", name)
                    .isEqualTo(token);
            assertThat(other.registry().tryAcquire(once))
                    .as("writer beside the reader of lock %s", name)
                    .isEmpty();
            assertThat(other.registry().tryAcquire(once.withMode(LockMode.READ)))
                    .as("another reader of lock %s", name)
                    .hasValueSatisfying(reader -> assertThat(reader.release()).isTrue());
            lock.readLock().unlock();
            assertThat(other.registry().tryAcquire(once))
                    .as("writer after the reader of lock %s", name)
                    .hasValueSatisfying(writer -> assertThat(writer.release()).isTrue());
        }
    }
}
