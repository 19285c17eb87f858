package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Sentinels and replicas have lost the master and made another one, but an instance still reaches the old one. */
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

    /** Without it the old master goes on until it is told: the owner is told then, and the tokens are in order. */
    @Test
    void shouldTellTheOwnerWhenTheOldMasterIsTold() throws Exception {
        Instance owner = this.instances.at(Servers.of(this.sentinels), Setup::waitingForFailovers);
        RedisServer old = this.sentinels.master();
        this.sentinels.awaitInSync();
        Lease lease = owner.acquire(NAME);
        this.sentinels.awaitInSync();

        this.sentinels.isolate(old);
        RedisServer master = this.sentinels.awaitMasterOtherThan(old);
        Instance other = this.instances.at(Servers.of(this.sentinels), Setup::outlivingFailovers);
        Lease next = get(other.waitFor(NAME));
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        Remarks.say("isolated master: " + (lease.isHeld() ? "held by two for a while" : "told before the next"));
        this.sentinels.reconnect(old);
        this.sentinels.follow(old, master);

        get(lease.lost());
        assertThat(lease.release()).isFalse();
        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isTrue();
    }
}
