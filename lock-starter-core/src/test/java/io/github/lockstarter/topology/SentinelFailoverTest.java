package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
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

/** A replica takes over from a master that is dead, demoted or isolated, while locks are held and waited for. */
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
    void shouldKeepLongLeasesAndLoseShortOnesWhenTheMasterDies() throws Exception {
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

    // ---- Sentinels and replicas have made another master, but an instance still reaches the old one

    /** With {@code min-replicas-to-write} a master that is alone refuses: then no two instances hold the lock. */
    @Test
    @Tag("full")
    void shouldLoseTheLockBeforeTheNextGrantIfTheOldMasterRefuses() throws Exception {
        Instance isolated = this.instances.at(Servers.of(this.sentinels), Setup::waitingForFailovers);
        RedisServer old = this.sentinels.master();
        try (RedisCli cli = old.cli()) {
            cli.command("CONFIG", "SET", "min-replicas-to-write", "1");
        }
        Lease lease = isolated.acquire("isolated");
        this.sentinels.awaitInSync();

        this.sentinels.isolate(old);
        this.sentinels.awaitMasterOtherThan(old);
        Instance other = this.instances.at(Servers.of(this.sentinels), Setup::outlivingFailovers);
        CompletableFuture<Lease> waiting = other.waitFor("isolated");
        var both = waiting.thenApply(next -> lease.isHeld());

        assertThat(get(both)).as("held by two at once").isFalse();
        assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lease.release()).isFalse();
        assertThat(isolated.registry().getLock("another").tryLock(Duration.ofSeconds(10)))
                .as("has found the new master")
                .isTrue();
        isolated.registry().getLock("another").unlock();
        assertThat(get(waiting).release()).isTrue();
    }

    /**
     * Without it the old master goes on, and answers all: the locks that were replicated are renewed at the new one. A
     * Sentinel whose connection was lost, or whose user may not subscribe, sends no message about that.
     */
    @ParameterizedTest
    @Tag("full")
    @ValueSource(booleans = {true, false})
    void shouldRenewAtTheNewMasterThoughTheOldOneAnswers(boolean messages) throws Exception {
        permitSubscriptions(messages);
        try {
            Instance isolated = this.instances.at(
                    Servers.of(this.sentinels),
                    setup -> setup.outlivingFailovers().commandTimeout(Duration.ofSeconds(1)));
            RedisServer old = this.sentinels.master();
            Lease lease = isolated.acquire("isolated");
            this.sentinels.awaitInSync();
            this.sentinels.isolate(old);
            RedisServer master = this.sentinels.awaitMasterOtherThan(old);
            awaitConnection(master);
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);

            long renewed = isolated.events().count(LockRenewedEvent.class, "isolated");
            afterFailover().until(() -> isolated.events().count(LockRenewedEvent.class, "isolated") > renewed + 2);
            try (RedisCli cli = master.cli()) {
                assertThat(cli.hgetall("lock:{isolated}")).containsEntry("f", Long.toString(lease.fencingToken()));
            }
            assertThat(isolated.events().count(LockAtRiskEvent.class, "isolated"))
                    .isZero();
            assertThat(lease.release()).isTrue();
        } finally {
            permitSubscriptions(true);
        }
    }

    /** What only the old master has is lost, and its owner is notified; its waiters go on at the new one. */
    @Test
    @Tag("full")
    void shouldMoveWaitersAndNotifyTheOwnerOfALockThatTheNewMasterDoesNotHave() throws Exception {
        Instance isolated = this.instances.at(Servers.of(this.sentinels), SentinelFailoverTest::renewingSeldom);
        Instance other = this.instances.at(Servers.of(this.sentinels), SentinelFailoverTest::renewingSeldom);
        RedisServer old = this.sentinels.master();
        this.sentinels.awaitInSync();
        this.sentinels.isolate(old);
        Lease lease = isolated.acquire("isolated");
        CompletableFuture<Lease> waiting = other.waitFor("isolated");

        RedisServer master = this.sentinels.awaitMasterOtherThan(old);

        // Both renew and poll once a minute.
        assertThat(get(lease.lost())).isIn(LossReason.DELETED, LossReason.TAKEN_OVER);
        Lease next = get(waiting);
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        try (RedisCli cli = master.cli()) {
            assertThat(cli.exists("lock:{isolated}")).isTrue();
        }
        assertThat(lease.release()).isFalse();
        assertThat(next.release()).isTrue();
    }

    private static Setup renewingSeldom(Setup setup) {
        return setup.waitingForFailovers()
                .lease(Duration.ofMinutes(3), Duration.ofMinutes(1))
                .commandTimeout(Duration.ofSeconds(2))
                .pollInterval(Duration.ofMinutes(1));
    }

    private void permitSubscriptions(boolean permitted) {
        for (RedisServer sentinel : this.sentinels.sentinels()) {
            try (RedisCli cli = sentinel.cli()) {
                cli.command("ACL", "SETUSER", "default", permitted ? "allchannels" : "resetchannels");
            }
        }
    }

    private static void awaitConnection(RedisServer master) {
        try (RedisCli cli = master.cli()) {
            afterFailover()
                    .until(() -> String.valueOf(cli.command("CLIENT", "LIST")).contains("name=distributed-locks"));
        }
    }
}
