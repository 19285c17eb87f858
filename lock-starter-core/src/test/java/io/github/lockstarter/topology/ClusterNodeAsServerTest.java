package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.StoredLine;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A node of a cluster that is addressed as a single server, directly or through a proxy that spreads connections. */
@TopologyTest
class ClusterNodeAsServerTest {

    private static final String NAME = "here";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    private final RedisServer node;

    private final RedisServer elsewhere;

    ClusterNodeAsServerTest(RedisCluster cluster) {
        this.cluster = cluster;
        this.node = cluster.masterOf(keyOf(NAME));
        this.elsewhere = cluster.masters().stream()
                .filter(master -> master != this.node)
                .findFirst()
                .orElseThrow();
    }

    private static String keyOf(String name) {
        return "lock:{" + name + "}";
    }

    private static Setup withMessagesOnly(Setup setup) {
        // Waiters do not poll at the end of a lease either; the name that the start of an instance tries may be of
        // another shard.
        return setup.withoutPolling().lease(Duration.ofMinutes(2)).unreachable();
    }

    /**
     * The node on which the lock is released counts no receivers for the first, whose subscription is at another one.
     */
    @Test
    void shouldNotPassOverAWaiterThatIsSubscribedAtAnotherNode() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(this.node.port())) {
            Instance owner = this.instances.at(this.node, ClusterNodeAsServerTest::withMessagesOnly);
            Instance first = this.instances.at(proxy, ClusterNodeAsServerTest::withMessagesOnly);
            Instance second = this.instances.at(this.node, ClusterNodeAsServerTest::withMessagesOnly);
            Lease lease = owner.acquire(NAME);
            proxy.leadTo(this.elsewhere.port());
            CompletableFuture<Lease> goesFirst = first.waitFor(NAME);
            awaitInLine(1);
            CompletableFuture<Lease> goesSecond = second.waitFor(NAME);
            awaitInLine(2);

            assertThat(lease.release()).isTrue();

            Lease next = get(goesFirst);
            assertThat(goesSecond).isNotDone();
            assertThat(next.release()).isTrue();
            assertThat(get(goesSecond).release()).isTrue();
        }
    }

    private void awaitInLine(int count) {
        try (RedisCli redis = this.node.cli()) {
            afterFailover().until(() -> StoredLine.of(redis, keyOf(NAME)).size() == count);
        }
    }

    @Test
    void shouldSayWhatToSetForALockOfAnotherShard() {
        Instance instance = this.instances.at(this.node, ClusterNodeAsServerTest::withMessagesOnly);
        String there = IntStream.range(0, 1000)
                .mapToObj(i -> "there:" + i)
                .filter(name -> this.cluster.masterOf(keyOf(name)) != this.node)
                .findFirst()
                .orElseThrow();

        LockStoreException failure = catchThrowableOfType(
                LockStoreException.class,
                () -> instance.registry().tryAcquire(LockRequest.of(there).withWaitTime(Duration.ZERO)));

        assertThat(failure).hasMessageContaining("MOVED").hasMessageContaining("spring.data.redis.cluster.nodes");
        assertThat(failure.isOutcomeUnknown()).isFalse();
    }
}
