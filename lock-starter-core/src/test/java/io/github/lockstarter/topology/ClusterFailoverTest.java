package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.fixture.Crowd;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisCluster.Takeover;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A replica takes over on demand, while locks of its shard are held, waited for and fought for. */
@TopologyTest
class ClusterFailoverTest {

    private static final String NAME = "switched";

    private static final String KEY = "lock:{" + NAME + "}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    ClusterFailoverTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void shouldGoOnAtTheNewMaster(Takeover takeover) throws Exception {
        Instance owner = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        Instance other = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        Lease lease = owner.acquire(NAME);
        CompletableFuture<Lease> waiting = other.waitFor(NAME);
        // in the slot of the other lock, so that the crowd follows the same failover
        List<String> crowded = List.of("crowd:1", "crowd:2", "crowd:3", "crowd:4");
        try (Crowd crowd = new Crowd(crowded)) {
            crowd.join(owner, 2);
            crowd.join(other, 2);
            crowd.awaitGrants(20);
            this.cluster.awaitInSync(KEY);

            this.cluster.failOver(KEY, takeover);

            crowd.awaitGrants(20);
            Remarks.say("CLUSTER FAILOVER " + takeover + " under load: " + crowd);
            assertThat(crowd.disorder()).isEmpty();
            if (takeover == Takeover.GRACEFUL) {
                assertThat(crowd.overlaps()).as("no write was lost").isEmpty();
            }
        }
        long renewed = owner.events().count(LockRenewedEvent.class, NAME);
        afterFailover().until(() -> owner.events().count(LockRenewedEvent.class, NAME) > renewed + 2);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(owner.events().count(LockLostEvent.class, NAME)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(get(waiting).release()).isTrue();
    }

    /** The next renewal is a minute away. */
    @Test
    void shouldRenewAtOnceWhenTheTopologyHasChanged() throws Exception {
        Instance owner = this.instances.at(
                Servers.of(this.cluster),
                setup -> setup.waitingForFailovers()
                        .lease(Duration.ofMinutes(3), Duration.ofMinutes(1))
                        .commandTimeout(Duration.ofSeconds(2)));
        Lease lease = owner.acquire(NAME);
        this.cluster.awaitInSync(KEY);
        long renewed = owner.events().count(LockRenewedEvent.class, NAME);

        this.cluster.failOver(KEY, Takeover.GRACEFUL);

        afterFailover().until(() -> owner.events().count(LockRenewedEvent.class, NAME) > renewed);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(lease.release()).isTrue();
    }
}
