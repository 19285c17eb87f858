package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One shard of a cluster does not serve any more, while locks are held and waited for on all of them. */
@Tag("full")
@TopologyTest
class ClusterShardTest {

    /** What happens to a server. */
    enum Fate {
        KILLED {
            @Override
            void befall(RedisServer server) {
                server.kill();
            }
        },
        FROZEN {
            @Override
            void befall(RedisServer server) {
                server.pause();
            }
        };

        abstract void befall(RedisServer server);
    }

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    ClusterShardTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    private static String keyOf(String name) {
        return "lock:{" + name + "}";
    }

    /** Names of locks that are, or are not, on the shard of that server. */
    private List<String> names(RedisServer master, boolean there, int count) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "spread:" + i)
                .filter(name -> (this.cluster.masterOf(keyOf(name)) == master) == there)
                .limit(count)
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseTheLocksOfADeadShardOnly(Fate fate) throws Exception {
        RedisServer master = this.cluster.masters().get(0);
        List<String> dead = names(master, true, 40);
        List<String> alive = names(master, false, 6);
        Instance owner = this.instances.at(Servers.of(this.cluster), Setup::waitingForFailovers);
        Instance other = this.instances.at(Servers.of(this.cluster), Setup::waitingForFailovers);
        List<Lease> deadLeases = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (String name : dead) {
            deadLeases.add(owner.acquire(name));
            waiting.add(other.waitFor(name));
        }
        for (String name : alive) {
            leases.add(owner.acquire(name));
        }
        RedisServer replica = this.cluster.replicaOf(keyOf(dead.get(0)));

        fate.befall(replica);
        fate.befall(master);

        List<Duration> handOvers = new ArrayList<>();
        while (!deadLeases.stream().allMatch(lease -> lease.state() == Lease.State.LOST) || handOvers.size() < 100) {
            for (int i = 0; i < alive.size(); i++) {
                CompletableFuture<Lease> next = other.waitFor(alive.get(i));
                long releasedAt = System.nanoTime();
                assertThat(leases.get(i).release()).as("still ours").isTrue();
                get(next).release();
                handOvers.add(Duration.ofNanos(System.nanoTime() - releasedAt));
                leases.set(i, owner.acquire(alive.get(i)));
            }
        }
        for (Lease lease : deadLeases) {
            assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);
        }
        List<Long> renewed = alive.stream()
                .map(name -> owner.events().count(LockRenewedEvent.class, name))
                .toList();
        afterFailover()
                .until(() -> IntStream.range(0, alive.size())
                        .allMatch(
                                i -> owner.events().count(LockRenewedEvent.class, alive.get(i)) > renewed.get(i) + 3));

        assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(Lease.State.HELD));
        Remarks.say(fate + ": hand-overs on the other shards took at most "
                + handOvers.stream().max(Duration::compareTo).orElseThrow());
        assertThat(handOvers).allSatisfy(time -> assertThat(time).isLessThan(Duration.ofSeconds(2)));
        handOvers.sort(null);
        assertThat(handOvers.get(handOvers.size() * 95 / 100))
                .as("half a command timeout: nobody waits for the shard but those who want a lock of it")
                .isLessThan(Duration.ofMillis(200));
        assertThat(alive)
                .allSatisfy(name -> assertThat(owner.events().count(LockAtRiskEvent.class, name))
                        .isZero());
        waiting.forEach(each -> each.cancel(false));
        leases.forEach(Lease::close);
    }

    /** A server that is frozen keeps its connections: nothing but its silence says that another one has taken over. */
    @ParameterizedTest
    @EnumSource
    void shouldGoOnAtTheReplicaThatTakesOver(Fate fate) throws Exception {
        String name = "shard";
        Instance owner = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        Instance other = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        Lease lease = owner.acquire(name);
        CompletableFuture<Lease> waiting = other.waitFor(name);
        this.cluster.awaitInSync(keyOf(name));
        RedisServer master = this.cluster.masterOf(keyOf(name));

        fate.befall(master);
        long befellAt = System.nanoTime();
        this.cluster.awaitMasterOtherThan(master, keyOf(name));
        long replacedAt = System.nanoTime();

        // A renewal that still goes to the old master may fail once more after the first one that succeeded.
        afterFailover()
                .until(() -> lease.state() == Lease.State.LOST
                        || (lease.state() == Lease.State.HELD
                                && owner.events().count(LockRecoveredEvent.class, name) > 0));
        Remarks.say(fate + ": replaced after " + (replacedAt - befellAt) / 1_000_000 + " ms, renewed "
                + (System.nanoTime() - replacedAt) / 1_000_000 + " ms later");
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(lease.release()).isTrue();
        assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(get(waiting).release()).isTrue();
    }
}
