package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Descriptions of instances are on any shard, whatever the shards of the locks that they hold. */
@TopologyTest
class ClusterHolderTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    ClusterHolderTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void shouldShowTheHolder() throws Exception {
        List<Instance> owners = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String application = "shop-" + i;
            owners.add(this.instances.at(
                    Servers.of(this.cluster),
                    setup -> setup.calm().withDescription().application(application)));
            leases.add(owners.get(i).acquire("held:" + i));
        }

        for (int i = 0; i < owners.size(); i++) {
            Instance asked = owners.get((i + 1) % owners.size());
            String name = leases.get(i).name();
            // A description that was not there yet is read again after five seconds.
            soon().pollInterval(Duration.ofMillis(500))
                    .until(() -> holder(asked, name).application() != null);

            assertThat(holder(asked, name).application()).isEqualTo("shop-" + i);
        }
    }

    private static LockHolder holder(Instance asked, String name) {
        return asked.registry().stored(name).orElseThrow().holder();
    }
}
