package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockRenewedEvent;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sentinels and replicas have lost the master and made another one, but an instance still reaches the old one. */
@Tag("full")
@TopologyTest
class IsolatedMasterTest {

    private static final String NAME = "isolated";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisSentinels sentinels;

    IsolatedMasterTest(RedisSentinels sentinels) {
        this.sentinels = sentinels;
    }

    /** With {@code min-replicas-to-write} a master that is alone refuses: then nobody holds what another one holds. */
    @Test
    void shouldLoseTheLockBeforeAnybodyElseHasItIfTheOldMasterRefuses() throws Exception {
        Instance owner = this.instances.at(Servers.of(this.sentinels), Setup::waitingForFailovers);
        RedisServer old = this.sentinels.master();
        try (RedisCli cli = old.cli()) {
            cli.command("CONFIG", "SET", "min-replicas-to-write", "1");
        }
        Lease lease = owner.acquire(NAME);
        this.sentinels.awaitInSync();

        this.sentinels.isolate(old);
        this.sentinels.awaitMasterOtherThan(old);
        Instance other = this.instances.at(Servers.of(this.sentinels), Setup::outlivingFailovers);
        CompletableFuture<Lease> waiting = other.waitFor(NAME);
        var both = waiting.thenApply(next -> lease.isHeld());

        assertThat(get(both)).as("held by two at once").isFalse();
        assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lease.release()).isFalse();
        assertThat(owner.registry().getLock("another").tryLock(Duration.ofSeconds(10)))
                .as("has found the new master")
                .isTrue();
        owner.registry().getLock("another").unlock();
        assertThat(get(waiting).release()).isTrue();
    }

    /**
     * Without it the old master goes on, and answers all: the locks that were replicated are renewed at the new one. A Sentinel whose
     * connection was lost, or whose user may not subscribe, sends no message about that.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRenewAtTheNewMasterThoughTheOldOneAnswers(boolean messages) throws Exception {
        permitSubscriptions(messages);
        try {
            Instance owner = this.instances.at(
                    Servers.of(this.sentinels),
                    setup -> setup.outlivingFailovers().commandTimeout(Duration.ofSeconds(1)));
            RedisServer old = this.sentinels.master();
            Lease lease = owner.acquire(NAME);
            this.sentinels.awaitInSync();
            this.sentinels.isolate(old);
            RedisServer master = this.sentinels.awaitMasterOtherThan(old);
            awaitConnection(master);
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);

            long renewed = owner.events().count(LockRenewedEvent.class, NAME);
            afterFailover().until(() -> owner.events().count(LockRenewedEvent.class, NAME) > renewed + 2);
            try (RedisCli cli = master.cli()) {
                assertThat(cli.hgetall("lock:{" + NAME + "}")).containsEntry("f", Long.toString(lease.fencingToken()));
            }
            assertThat(owner.events().count(LockAtRiskEvent.class, NAME)).isZero();
            assertThat(lease.release()).isTrue();
        } finally {
            permitSubscriptions(true);
        }
    }

    /** What only the old master has is lost, and its owner is notified; its waiters go on at the new one. */
    @Test
    void shouldMoveWaitersAndNotifyTheOwnerOfALockThatTheNewMasterDoesNotHave() throws Exception {
        Instance owner = this.instances.at(Servers.of(this.sentinels), IsolatedMasterTest::renewingSeldom);
        Instance other = this.instances.at(Servers.of(this.sentinels), IsolatedMasterTest::renewingSeldom);
        RedisServer old = this.sentinels.master();
        this.sentinels.awaitInSync();
        this.sentinels.isolate(old);
        Lease lease = owner.acquire(NAME);
        CompletableFuture<Lease> waiting = other.waitFor(NAME);

        RedisServer master = this.sentinels.awaitMasterOtherThan(old);

        // Both renew and poll once a minute.
        assertThat(get(lease.lost())).isIn(LossReason.DELETED, LossReason.TAKEN_OVER);
        Lease next = get(waiting);
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        try (RedisCli cli = master.cli()) {
            assertThat(cli.exists("lock:{" + NAME + "}")).isTrue();
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
