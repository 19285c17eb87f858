package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hundred thousand locks of one process on all shards of a cluster, one of which dies with its replica. */
@Tag("soak")
@TopologyTest
class ManyLocksOfADeadShardTest {

    private static final int LOCKS = 100_000;

    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration HELD = Duration.ofSeconds(Long.getLong("lock.soak.held-seconds", 150));

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    ManyLocksOfADeadShardTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void shouldLoseThoseOfTheShardInTimeAndHoldTheOthers() throws Exception {
        Instance owner = this.instances.at(Servers.of(this.cluster), ManyLocksOfADeadShardTest::usual);
        Instance other = this.instances.at(Servers.of(this.cluster), ManyLocksOfADeadShardTest::usual);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            leases.add(owner.acquire("held:" + i));
        }
        RedisServer master = this.cluster.masters().get(0);
        Set<String> keysThere = keysOf(master);
        Map<Boolean, List<Lease>> there = leases.stream()
                .collect(Collectors.partitioningBy(lease -> keysThere.contains("lock:{" + lease.name() + "}")));
        List<Lease> dying = there.get(true);
        List<Lease> living = there.get(false);
        assertThat(dying).hasSizeBetween(LOCKS / 4, LOCKS / 2);
        RedisServer replica = this.cluster.replicaOf("lock:{" + dying.get(0).name() + "}");

        replica.kill();
        master.kill();

        long killedAt = System.nanoTime();
        List<Duration> handOvers = new ArrayList<>();
        for (int i = 0; dying.stream().anyMatch(Lease::isHeld); i++) {
            assertThat(System.nanoTime() - killedAt).isLessThan(LEASE.toNanos());
            handOvers.add(handOn(living, i, owner, other));
        }
        Remarks.say(dying.size() + " locks of a dead shard told after " + (System.nanoTime() - killedAt) / 1_000_000_000
                + " s; " + handOvers.size() + " hand-overs of others meanwhile, the longest "
                + handOvers.stream().max(Duration::compareTo).orElseThrow());
        assertThat(handOvers).allSatisfy(time -> assertThat(time).isLessThan(Duration.ofSeconds(3)));
        for (Lease lease : dying) {
            assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);
        }
        within(HELD.plusSeconds(30)).until(() -> System.nanoTime() - killedAt > HELD.toNanos());
        assertThat(living).as("on the other shards, some leases later").allMatch(Lease::isHeld);
        assertThat(living).as("released").allMatch(Lease::release);
    }

    /** Lets the other instance have the lock for a moment, and takes it back; how long that took. */
    private static Duration handOn(List<Lease> living, int i, Instance owner, Instance other) throws Exception {
        Lease lease = living.get(i);
        CompletableFuture<Lease> next = other.waitFor(lease.name());
        long releasedAt = System.nanoTime();
        assertThat(lease.release()).as("still ours").isTrue();
        get(next).release();
        living.set(i, owner.acquire(lease.name()));
        return Duration.ofNanos(System.nanoTime() - releasedAt);
    }

    private static Set<String> keysOf(RedisServer server) {
        try (RedisCli redis = server.cli()) {
            return Set.copyOf(redis.keys());
        }
    }

    private static Setup usual(Setup setup) {
        return setup.lease(LEASE).commandTimeout(Duration.ofSeconds(3)).pollInterval(Duration.ofSeconds(1));
    }
}
