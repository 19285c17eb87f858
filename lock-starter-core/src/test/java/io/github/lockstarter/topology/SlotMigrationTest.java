package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Crowd;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Servers;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisCluster;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.SlotMigration;
import io.github.lockstarter.testsupport.TopologyTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A slot moves to another shard, while its lock is held, waited for and fought for, without an effect on them. */
@TopologyTest
class SlotMigrationTest {

    private static final String NAME = "moved";

    private static final String KEY = "lock:{" + NAME + "}";

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCluster cluster;

    private final Instance owner;

    private final Instance other;

    SlotMigrationTest(RedisCluster cluster) {
        this.cluster = cluster;
        this.owner = this.instances.at(Servers.of(cluster), SlotMigrationTest::withMessagesOnly);
        this.other = this.instances.at(Servers.of(cluster), SlotMigrationTest::withMessagesOnly);
    }

    private static Setup withMessagesOnly(Setup setup) {
        return setup.waitingForFailovers()
                .lease(Duration.ofSeconds(12), Duration.ofMillis(100))
                .withoutPolling();
    }

    @Test
    void shouldRenewAndHandOverInEachPhase() throws Exception {
        Lease lease = this.owner.acquire(NAME);
        SlotMigration migration = this.cluster.migrate(KEY);
        lease = renewAndHandOver(lease);
        assertThat(migration.moveKeys()).isEqualTo(1);
        lease = renewAndHandOver(lease);
        lease.release();
        lease = this.owner.acquire(NAME);
        lease = renewAndHandOver(lease);
        migration.finish();
        lease = renewAndHandOver(lease);

        assertThat(this.cluster.masterOf(KEY)).isSameAs(migration.target());
        assertThat(lease.release()).isTrue();
        assertThat(this.cluster.command(KEY, "EXISTS", KEY)).isEqualTo(0L);
        assertThat(this.owner.events().count(LockAtRiskEvent.class, NAME)).isZero();
    }

    /** Goes to the other instance, which receives a message, and back. */
    private Lease renewAndHandOver(Lease lease) throws Exception {
        long renewed = this.owner.events().count(LockRenewedEvent.class, NAME);
        afterFailover().until(() -> this.owner.events().count(LockRenewedEvent.class, NAME) > renewed + 2);
        CompletableFuture<Lease> there = this.other.waitFor(NAME);
        awaitInLine();
        assertThat(lease.release()).isTrue();
        Lease next = get(there);
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        CompletableFuture<Lease> back = this.owner.waitFor(NAME);
        awaitInLine();
        assertThat(next.release()).isTrue();
        assertThat(get(back).fencingToken()).isGreaterThan(next.fencingToken());
        return get(back);
    }

    /** Readers and holders of permits, and a waiter behind them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRenewSharedGrantsInEachPhase(boolean permits) throws Exception {
        LockRequest shared = permits
                ? LockRequest.of(NAME).withPermits(1, 2)
                : LockRequest.of(NAME).withMode(LockMode.READ);
        LockRequest alone = permits ? shared.withPermits(2, 2) : LockRequest.of(NAME);
        Lease here = this.owner.registry().acquire(shared);
        Lease there = this.other.registry().acquire(shared);
        CompletableFuture<Lease> next = this.other.registry().acquireAsync(alone);
        SlotMigration migration = this.cluster.migrate(KEY);
        awaitRenewals();
        assertThat(migration.moveKeys()).isEqualTo(1);
        awaitRenewals();
        migration.finish();
        awaitRenewals();

        assertThat(here.release()).isTrue();
        assertThat(next).isNotDone();
        assertThat(there.release()).isTrue();
        assertThat(get(next).fencingToken()).isGreaterThan(Math.max(here.fencingToken(), there.fencingToken()));
        assertThat(get(next).release()).isTrue();
        assertThat(this.cluster.command(KEY, "EXISTS", KEY)).isEqualTo(0L);
        assertThat(this.owner.events().count(LockAtRiskEvent.class, NAME)).isZero();
    }

    private void awaitRenewals() {
        for (Instance each : List.of(this.owner, this.other)) {
            long renewed = each.events().count(LockRenewedEvent.class, NAME);
            afterFailover().until(() -> each.events().count(LockRenewedEvent.class, NAME) > renewed + 2);
        }
    }

    private void awaitInLine() {
        afterFailover().until(() -> this.cluster.masters().stream().anyMatch(this::hasLine));
    }

    private boolean hasLine(RedisServer master) {
        try (RedisCli cli = master.cli()) {
            // of a node that imports the slot, without which it would send us away
            cli.command("ASKING");
            return cli.command("HEXISTS", KEY, "q").equals(1L);
        } catch (RedisErrorException ex) {
            return false;
        }
    }

    @Test
    @Tag("full")
    void shouldExcludeACrowd() {
        Instance third = this.instances.at(Servers.of(this.cluster), Setup::outlivingFailovers);
        try (Crowd crowd = new Crowd(List.of(NAME))) {
            crowd.join(this.owner, 2);
            crowd.join(this.other, 2);
            crowd.join(third, 2);
            for (int round = 0; round < 3; round++) {
                crowd.awaitGrants(30);
                SlotMigration migration = this.cluster.migrate(KEY);
                crowd.awaitGrants(30);
                migration.moveKeys();
                crowd.awaitGrants(30);
                migration.finish();
            }
            crowd.awaitGrants(30);

            Remarks.say("slot moved under load: " + crowd);
            assertThat(crowd.overlaps()).isEmpty();
            assertThat(crowd.disorder()).isEmpty();
        }
    }
}
