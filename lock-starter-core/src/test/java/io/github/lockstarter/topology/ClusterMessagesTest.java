package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages to those who stand in line arrive wherever in the cluster the line and the subscription are. */
@Tag("full")
@TopologyTest
class ClusterMessagesTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    private final Instance owner;

    private final Instance other;

    ClusterMessagesTest(RedisCluster cluster) {
        this.cluster = cluster;
        this.owner = this.instances.at(Servers.of(cluster), ClusterMessagesTest::withMessagesOnly);
        this.other = this.instances.at(Servers.of(cluster), ClusterMessagesTest::withMessagesOnly);
    }

    /** With the first wait comes the subscription, after which the waiter asks once more: it may be served by that. */
    @BeforeEach
    void subscribe() throws Exception {
        boolean unused = isCalled("subscription");
    }

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

    /** The subscription moves with its connection to another node, and says so. */
    @Test
    void shouldCallAgainAfterTheNodeOfTheSubscriptionHasDied() throws Exception {
        shouldCall("before");
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

    private void shouldCall(String name) throws Exception {
        assertThat(isCalled(name)).as(name).isTrue();
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
        // Told after the hand-over, if it was one.
        soon().until(() -> this.other.events().count(LockAcquiredEvent.class, name) > acquired);
        return this.other.events().handOvers(Kind.REMOTE) > called;
    }
}
