package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.SlotMigration;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Readers and holders of permits while the keys move to another server. */
@Tag("full")
@TopologyTest
class SharedTopologyTest {

    private static final LockRequest READER = LockRequest.of("read").withMode(LockMode.READ);

    private static final LockRequest WRITER = LockRequest.of("read");

    private static final LockRequest PERMIT = LockRequest.of("permits").withPermits(1, 2);

    @AutoClose
    private final Instances instances = new Instances();

    @Test
    void shouldGoOnAfterAFailoverBehindSentinels(RedisSentinels sentinels) throws Exception {
        Instance here = this.instances.at(Servers.of(sentinels), SharedTopologyTest::longLease);
        Instance there = this.instances.at(Servers.of(sentinels), SharedTopologyTest::longLease);
        Held held = new Held(here, there);
        sentinels.awaitInSync();
        RedisServer master = sentinels.master();

        master.kill();

        assertThat(sentinels.awaitMasterOtherThan(master)).isNotSameAs(master);
        held.awaitRenewals();
        held.releaseAndHandOver();
    }

    @Test
    void shouldGoOnWhileASlotMoves(RedisCluster cluster) throws Exception {
        Instance here = this.instances.at(Servers.of(cluster), SharedTopologyTest::longLease);
        Instance there = this.instances.at(Servers.of(cluster), SharedTopologyTest::longLease);
        Held held = new Held(here, there);
        SlotMigration readers = cluster.migrate("lock:{read}");
        SlotMigration permits = cluster.migrate("lock:{permits}");
        held.awaitRenewals();
        assertThat(readers.moveKeys()).isEqualTo(1);
        assertThat(permits.moveKeys()).isEqualTo(1);
        held.awaitRenewals();
        readers.finish();
        permits.finish();
        held.awaitRenewals();
        assertThat(cluster.masterOf("lock:{read}")).isSameAs(readers.target());
        assertThat(cluster.masterOf("lock:{permits}")).isSameAs(permits.target());
        held.releaseAndHandOver();

        assertThat(here.events().count(LockAtRiskEvent.class)).isZero();
        assertThat(cluster.command("lock:{read}", "EXISTS", "lock:{read}")).isEqualTo(0L);
        assertThat(cluster.command("lock:{permits}", "EXISTS", "lock:{permits}"))
                .isEqualTo(0L);
    }

    private static Setup longLease(Setup setup) {
        return setup.outlivingFailovers().lease(Duration.ofSeconds(60), Duration.ofMillis(100));
    }

    /** Two readers, two holders of permits, and one who waits for each. */
    private static final class Held {

        private final Instance here;

        private final Instance there;

        private final Lease reader;

        private final Lease otherReader;

        private final Lease permit;

        private final Lease otherPermit;

        private final CompletableFuture<Lease> writer;

        private final CompletableFuture<Lease> nextPermit;

        Held(Instance here, Instance there) throws InterruptedException {
            this.here = here;
            this.there = there;
            this.reader = here.registry().acquire(READER);
            this.otherReader = there.registry().acquire(READER);
            this.permit = here.registry().acquire(PERMIT);
            this.otherPermit = there.registry().acquire(PERMIT);
            this.writer = there.registry().acquireAsync(WRITER);
            this.nextPermit = there.registry().acquireAsync(PERMIT);
        }

        /** All of them, twice. */
        void awaitRenewals() {
            for (Instance each : List.of(this.here, this.there)) {
                for (String name : List.of("read", "permits")) {
                    long before = each.events().count(LockRenewedEvent.class, name);
                    afterFailover().until(() -> each.events().count(LockRenewedEvent.class, name) > before + 1);
                }
            }
        }

        void releaseAndHandOver() throws Exception {
            assertThat(this.writer).isNotDone();
            assertThat(this.nextPermit).isNotDone();
            assertThat(this.permit.release()).isTrue();
            assertThat(get(this.nextPermit).fencingToken()).isGreaterThan(this.otherPermit.fencingToken());
            assertThat(this.reader.release()).isTrue();
            assertThat(this.writer).isNotDone();
            assertThat(this.otherReader.release()).isTrue();
            assertThat(get(this.writer).fencingToken())
                    .isGreaterThan(Math.max(this.reader.fencingToken(), this.otherReader.fencingToken()));
            assertThat(get(this.writer).release()).isTrue();
            assertThat(get(this.nextPermit).release()).isTrue();
            assertThat(this.otherPermit.release()).isTrue();
            assertThat(this.here.events().count(LockLostEvent.class)).isZero();
            assertThat(this.there.events().count(LockLostEvent.class)).isZero();
        }
    }
}
