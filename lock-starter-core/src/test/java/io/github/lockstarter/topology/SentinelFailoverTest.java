package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Crowd;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica that has everything takes over from the master, while locks are held and waited for. */
@TopologyTest
class SentinelFailoverTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisSentinels sentinels;

    private final Instance owner;

    private final Instance other;

    SentinelFailoverTest(RedisSentinels sentinels) {
        this.sentinels = sentinels;
        this.owner = this.instances.at(Servers.of(sentinels), SentinelFailoverTest::outlivingRepeatedElections);
        this.other = this.instances.at(Servers.of(sentinels), Setup::outlivingFailovers);
    }

    /** Sentinels that did not agree on a leader try again six seconds later, and on a busy machine once more. */
    private static Setup outlivingRepeatedElections(Setup setup) {
        return setup.outlivingFailovers().lease(Duration.ofSeconds(60), Duration.ofMillis(500));
    }

    private void awaitRecovery(Lease lease) {
        afterFailover()
                .until(() -> !lease.isHeld() || this.owner.events().count(LockRecoveredEvent.class, lease.name()) > 0);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
    }

    @Test
    void shouldGoOnWithLongLeasesAndTellOfShortOnesWhenTheMasterDies() throws Exception {
        Instance brief = this.instances.at(Servers.of(this.sentinels), Setup::waitingForFailovers);
        Lease lasting = this.owner.acquire("lasting");
        Lease lost = brief.acquire("lost");
        CompletableFuture<Lease> forLasting = this.other.waitFor("lasting");
        CompletableFuture<Lease> forLost = this.other.waitFor("lost");
        List<Lease> shared = new ArrayList<>();
        for (LockRequest request : List.of(
                LockRequest.of("read").withMode(LockMode.READ),
                LockRequest.of("permits").withPermits(1, 2))) {
            shared.add(this.owner.registry().acquire(request));
            shared.add(this.other.registry().acquire(request));
        }
        CompletableFuture<Lease> writer = this.other.waitFor("read");
        this.sentinels.awaitInSync();
        RedisServer master = this.sentinels.master();
        var nextWhile = forLost.thenApply(lease -> lost.isHeld());

        master.kill();

        assertThat(get(lost.lost())).isEqualTo(LossReason.EXPIRED);
        assertThat(this.sentinels.awaitMasterOtherThan(master)).isNotSameAs(master);
        assertThat(get(forLost).fencingToken()).isGreaterThan(lost.fencingToken());
        assertThat(get(nextWhile)).as("held by two at once").isFalse();
        awaitRecovery(lasting);
        assertThat(this.owner.events().count(LockLostEvent.class, "lasting")).isZero();
        assertThat(forLasting).isNotDone();

        assertThat(lasting.release()).isTrue();
        assertThat(get(forLasting).fencingToken()).isGreaterThan(lasting.fencingToken());
        assertThat(get(forLasting).release()).isTrue();
        assertThat(get(forLost).release()).isTrue();
        assertThat(lost.release()).isFalse();
        assertThat(writer).isNotDone();
        assertThat(shared).allSatisfy(lease -> assertThat(lease.release()).isTrue());
        assertThat(get(writer).release()).isTrue();
    }

    /** A client that is connected to what was the master, and is not any more, has to ask the sentinels again. */
    @Test
    void shouldFollowTheMasterIfTheOldOneKeepsItsConnections() throws Exception {
        Lease lease = this.owner.acquire("demoted");
        CompletableFuture<Lease> waiting = this.other.waitFor("demoted");
        RedisServer old = this.sentinels.master();
        this.sentinels.awaitInSync();
        RedisServer master = this.sentinels.failOver();

        this.sentinels.follow(old, master);

        long renewed = this.owner.events().count(LockRenewedEvent.class, "demoted");
        afterFailover().until(() -> this.owner.events().count(LockRenewedEvent.class, "demoted") > renewed + 2);
        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        assertThat(lease.release()).isTrue();
        assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(get(waiting).release()).isTrue();
    }

    @Test
    @Tag("full")
    void shouldFollowTheMasterWhileASentinelIsSilent() throws Exception {
        Lease lease = this.owner.acquire("asked");
        this.sentinels.awaitInSync();
        RedisServer master = this.sentinels.master();
        this.sentinels.sentinels().get(0).pause();

        master.kill();

        awaitRecovery(lease);
        assertThat(lease.release()).isTrue();
    }

    /**
     * The old master goes on for seconds if it is alive, and instances follow the new one within milliseconds of each other: only
     * a master that refuses to write without replicas makes no grants in between.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("full")
    void shouldOrderTheTokensOfACrowdOverFailovers(boolean alive) {
        // Shorter leases: what is lost with a reply is free again in time.
        Instance third = this.instances.at(Servers.of(this.sentinels), Setup::outlivingFailovers);
        try (Crowd crowd = new Crowd(List.of("crowd:1", "crowd:2"))) {
            crowd.join(third, 3);
            crowd.join(this.other, 3);
            crowd.awaitGrants(100);
            RedisServer master = this.sentinels.master();

            if (alive) {
                this.sentinels.awaitInSync();
                this.sentinels.servers().forEach(SentinelFailoverTest::requireReplica);
                this.sentinels.failOver();
            } else {
                master.kill();
                this.sentinels.awaitMasterOtherThan(master);
            }
            crowd.awaitGrants(100);

            Remarks.say("master " + (alive ? "demoted" : "killed") + " under load: " + crowd);
            assertThat(crowd.disorder()).isEmpty();
        }
    }

    private static void requireReplica(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            cli.command("CONFIG", "SET", "min-replicas-to-write", "1");
        }
    }
}
