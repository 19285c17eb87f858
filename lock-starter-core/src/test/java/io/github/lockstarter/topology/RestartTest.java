package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A single server is restarted while locks are held and waited for. */
@Tag("redis")
class RestartTest {

    private static final String NAME = "restarted";

    @AutoClose
    private final Instances instances = new Instances();

    @Test
    void shouldKeepTheLockIfTheServerKeepsItsData() throws Exception {
        // With "everysec", what was written during a slow fsync is lost when the server is killed.
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always")) {
            Instance owner = this.instances.at(Servers.of(server), Setup::outlivingFailovers);
            Instance other = this.instances.at(Servers.of(server), Setup::outlivingFailovers);
            Lease lease = owner.acquire(NAME);
            CompletableFuture<Lease> waiting = other.waitFor(NAME);

            server.restart();

            long renewed = owner.events().count(LockRenewedEvent.class, NAME);
            afterFailover()
                    .until(() -> !lease.isHeld() || owner.events().count(LockRenewedEvent.class, NAME) > renewed + 2);
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
            assertThat(waiting).isNotDone();
            assertThat(lease.release()).isTrue();
            assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(get(waiting).release()).isTrue();
        }
    }

    /**
     * Exclusion is not promised: the next grant can follow as soon as Redis is back. The notice to the first owner is
     * promised.
     */
    @Test
    void shouldNotifyTheOwnerAtItsNextRenewalIfTheServerLostItsData() throws Exception {
        Duration interval = Duration.ofSeconds(1);
        try (RedisServer server = RedisServer.start()) {
            Instance owner = this.instances.at(
                    Servers.of(server), setup -> setup.waitingForFailovers().lease(Duration.ofSeconds(30), interval));
            Instance other = this.instances.at(Servers.of(server), Setup::outlivingFailovers);
            Lease lease = owner.acquire(NAME);
            CompletableFuture<Lease> waiting = other.waitFor(NAME);

            server.restart();

            long restartedAt = System.nanoTime();
            assertThat(get(lease.lost())).isIn(LossReason.DELETED, LossReason.TAKEN_OVER);
            assertThat(Duration.ofNanos(System.nanoTime() - restartedAt))
                    .as("an interval, what it takes to reconnect, and a busy machine")
                    .isLessThan(interval.plusSeconds(15));
            assertThat(get(waiting).fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(lease.release()).isFalse();
            assertThat(get(waiting).release()).as("the successor's, untouched").isTrue();
        }
    }
}
