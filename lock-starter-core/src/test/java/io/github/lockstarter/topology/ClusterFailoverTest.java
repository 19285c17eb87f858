package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisCluster.Takeover;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A replica takes over, on demand or because its master fails, while locks of its shard are held and waited for. */
@TopologyTest
class ClusterFailoverTest {

    private static final String NAME = "switched";

    private static final String KEY = "lock:{" + NAME + "}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    private Instance owner;

    private Instance other;

    ClusterFailoverTest(RedisCluster cluster) {
        this.cluster = cluster;
    }

    /** How a node ends to be the master of a shard. */
    enum Change {
        GRACEFUL,
        FORCE,
        TAKEOVER,
        KILLED,
        /** Its connections stay open: only its silence shows that another node has taken over. */
        FROZEN;

        void happen(RedisCluster cluster, RedisServer master) {
            switch (this) {
                case KILLED -> master.kill();
                case FROZEN -> master.pause();
                default -> cluster.failOver(KEY, Takeover.valueOf(name()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("full")
    void shouldGoOnAtTheNewMaster(Change change) throws Exception {
        this.owner = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        this.other = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        Lease lease = this.owner.acquire(NAME);
        CompletableFuture<Lease> waiting = this.other.waitFor(NAME);
        this.cluster.awaitInSync(KEY);
        RedisServer master = this.cluster.masterOf(KEY);

        change.happen(this.cluster, master);
        this.cluster.awaitMasterOtherThan(master, KEY);

        long renewed = this.owner.events().count(LockRenewedEvent.class, NAME);
        // A renewal that still goes to the old master may fail after the first one that has succeeded.
        afterFailover()
                .until(() -> lease.state() != Lease.State.AT_RISK
                        && this.owner.events().count(LockRenewedEvent.class, NAME) > renewed + 2);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(this.owner.events().count(LockLostEvent.class, NAME)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(get(waiting).release()).isTrue();
    }

    /** The next renewal is a minute away. */
    @Test
    void shouldRenewAtOnceWhenTheTopologyHasChanged() throws Exception {
        this.owner = this.instances.at(
                Servers.of(this.cluster),
                setup -> setup.waitingForFailovers()
                        .lease(Duration.ofMinutes(3), Duration.ofMinutes(1))
                        .commandTimeout(Duration.ofSeconds(2)));
        Lease lease = this.owner.acquire(NAME);
        this.cluster.awaitInSync(KEY);
        long renewed = this.owner.events().count(LockRenewedEvent.class, NAME);

        this.cluster.failOver(KEY, Takeover.GRACEFUL);

        afterFailover().until(() -> this.owner.events().count(LockRenewedEvent.class, NAME) > renewed);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNameTheNodeOfAFailure() {
        this.owner = this.instances.at(Servers.of(this.cluster), Setup::calm);
        RedisServer master = this.cluster.masterOf(KEY);
        try (RedisCli cli = master.cli()) {
            cli.command("SET", KEY, "text");

            assertThat(catchThrowableOfType(LockStoreException.class, this.owner.lock(NAME)::tryLock))
                    .hasMessageContaining("(node 127.0.0.1:" + master.port() + ')');

            cli.command("DEL", KEY);
        }
    }

    // ---- Messages, wherever in the cluster the line and the subscription are

    private static String keyOf(String name) {
        return "lock:{" + name + "}";
    }

    /** A lock on each shard. */
    private List<String> names() {
        return this.cluster.masters().stream()
                .map(master -> IntStream.iterate(0, i -> i + 1)
                        .mapToObj(i -> "line:" + i)
                        .filter(name -> this.cluster.masterOf(keyOf(name)) == master)
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    private static Setup withMessagesOnly(Setup setup) {
        return setup.waitingForFailovers()
                .lease(Duration.ofSeconds(60), Duration.ofSeconds(2))
                .withoutPolling();
    }

    /** The subscription moves with its connection to another node, and reports a gap. */
    @Test
    @Tag("full")
    void shouldCallAgainAfterTheNodeOfTheSubscriptionHasDied() throws Exception {
        this.owner = this.instances.at(Servers.of(this.cluster), ClusterFailoverTest::withMessagesOnly);
        this.other = this.instances.at(Servers.of(this.cluster), ClusterFailoverTest::withMessagesOnly);
        // With the first wait comes the subscription, after which the waiter asks once more: that may serve it.
        boolean unused = isCalled("subscription");
        assertThat(isCalled("before")).isTrue();
        RedisServer subscribedTo = subscribedNodes().get(0);
        subscribedTo.kill();
        afterFailover().ignoreExceptions().until(() -> !subscribedNodes().isEmpty());
        for (String name : names()) {
            this.cluster.awaitMasterOtherThan(subscribedTo, keyOf(name));
            // Each new connection makes waiters look by themselves, and after a failover there may be some.
            for (int attempt = 1; !isCalled(name); attempt++) {
                assertThat(attempt).as(name).isLessThan(5);
            }
        }
    }

    private List<RedisServer> subscribedNodes() {
        return this.cluster.nodes().stream()
                .filter(RedisServer::isRunning)
                .filter(node -> {
                    try (RedisCli cli = node.cli()) {
                        return !((List<?>) cli.command("PUBSUB", "CHANNELS", "lock:inbox:*")).isEmpty();
                    }
                })
                .toList();
    }

    /** Whether a message has called the waiter; it gets the lock at once in any case. */
    private boolean isCalled(String name) throws Exception {
        Lease lease = this.owner.acquire(name);
        CompletableFuture<Lease> waiting = this.other.waitFor(name);
        afterFailover()
                .ignoreExceptions()
                .until(() -> this.cluster
                        .command(keyOf(name), "HEXISTS", keyOf(name), "q")
                        .equals(1L));
        long called = this.other.events().handOvers(Kind.REMOTE);
        long acquired = this.other.events().count(LockAcquiredEvent.class, name);

        long releasedAt = System.nanoTime();
        assertThat(lease.release()).isTrue();
        Lease next = get(waiting);

        assertThat(Duration.ofNanos(System.nanoTime() - releasedAt)).isLessThan(Duration.ofSeconds(10));
        assertThat(next.release()).isTrue();
        // Published after the hand-over, if it was one.
        soon().until(() -> this.other.events().count(LockAcquiredEvent.class, name) > acquired);
        return this.other.events().handOvers(Kind.REMOTE) > called;
    }
}
