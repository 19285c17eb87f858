package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A replica takes over that has never heard of a lock: its owner and the next one can hold it both. That is the one thing
 * that Redis cannot promise; all that can be is kept: the owner is told, and the tokens say who came later.
 */
@Tag("full")
@TopologyTest
class LostWriteFailoverTest {

    private static final String NAME = "unheard";

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    @AutoClose
    private final Instances instances = new Instances();

    @Test
    void shouldTellTheOwnerAndOrderTheTokensBehindSentinels(RedisSentinels sentinels) throws Exception {
        Instance owner = this.instances.at(
                Servers.of(sentinels), setup -> setup.waitingForFailovers().lease(Duration.ofSeconds(20), INTERVAL));
        Instance other = this.instances.at(Servers.of(sentinels), Setup::outlivingFailovers);
        RedisServer master = sentinels.master();
        var replicas = sentinels.replicas();
        sentinels.cutReplication();
        Lease lease = owner.acquire(NAME);
        master.kill();
        replicas.forEach(RedisServer::resume);

        shouldTellTheOwnerAndOrderTheTokens(lease, other);
    }

    @Test
    void shouldTellTheOwnerAndOrderTheTokensInACluster(RedisCluster cluster) throws Exception {
        Instance owner = this.instances.at(
                Servers.of(cluster), setup -> setup.waitingForFailovers().lease(Duration.ofSeconds(20), INTERVAL));
        Instance other = this.instances.at(Servers.of(cluster), Setup::outlivingFailovers);
        String key = "lock:{" + NAME + "}";
        RedisServer master = cluster.masterOf(key);
        RedisServer replica = cluster.replicaOf(key);
        cluster.cutReplication(key);
        Lease lease = owner.acquire(NAME);
        master.kill();
        replica.resume();

        shouldTellTheOwnerAndOrderTheTokens(lease, other);
    }

    private static void shouldTellTheOwnerAndOrderTheTokens(Lease lease, Instance other) throws Exception {
        CompletableFuture<Lease> waiting = other.waitFor(NAME);
        Lease next = get(waiting);
        long grantedAt = System.nanoTime();
        Remarks.say("lost write: " + (lease.isHeld() ? "held by two for a while" : "told before the next came"));

        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(get(lease.lost())).isIn(LossReason.TAKEN_OVER, LossReason.DELETED);
        assertThat(Duration.ofNanos(System.nanoTime() - grantedAt))
                .as("told at its next renewal")
                .isLessThan(INTERVAL.plusSeconds(5));
        assertThat(lease.release()).isFalse();
        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).as("untouched by its predecessor").isTrue();
    }
}
