package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Replicas confirm grants behind Sentinels and in a cluster. */
@TopologyTest
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
@Tag("full")
class ConfirmReplicasTest {

    private static final String NAME = "confirmed";

    private static final String KEY = "lock:{" + NAME + "}";

    @AutoClose
    private final Instances instances = new Instances();

    private Instance instance(LettuceConnectionFactory servers, int replicas) {
        return this.instances.at(
                servers,
                setup -> setup.outlivingFailovers()
                        .lease(Duration.ofSeconds(60), Duration.ofMillis(500))
                        .commandTimeout(Duration.ofMillis(800))
                        .confirmReplicas(replicas));
    }

    /** What the topologies have in common: a shard whose replicas receive nothing any more, and take over. */
    private record Shard(
            LettuceConnectionFactory ofOwner, LettuceConnectionFactory ofOther, Runnable cut, Runnable failOver) {

        static Shard of(RedisSentinels sentinels) {
            RedisServer master = sentinels.master();
            List<RedisServer> replicas = sentinels.replicas();
            return new Shard(Servers.of(sentinels), Servers.of(sentinels), sentinels::cutReplication, () -> {
                master.kill();
                replicas.forEach(RedisServer::resume);
                sentinels.awaitMasterOtherThan(master);
            });
        }

        static Shard of(RedisCluster cluster) {
            RedisServer master = cluster.masterOf(KEY);
            RedisServer replica = cluster.replicaOf(KEY);
            return new Shard(Servers.of(cluster), Servers.of(cluster), () -> cluster.cutReplication(KEY), () -> {
                master.kill();
                replica.resume();
                cluster.awaitMasterOtherThan(master, KEY);
            });
        }
    }

    @Test
    void shouldGrantNothingThatAPromotedReplicaDoesNotKnowBehindSentinels(RedisSentinels sentinels) throws Exception {
        RedisServer master = sentinels.master();
        Instance owner = shouldGrantNothingThatAPromotedReplicaDoesNotKnow(Shard.of(sentinels), 2);

        // What was the master is the second replica then.
        master.restart();
        afterFailover()
                .ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> owner.lock("unheard").tryLock(Duration.ofSeconds(5)));
    }

    @Test
    void shouldGrantNothingThatAPromotedReplicaDoesNotKnowInACluster(RedisCluster cluster) throws Exception {
        Instance unused = shouldGrantNothingThatAPromotedReplicaDoesNotKnow(Shard.of(cluster), 1);
    }

    private Instance shouldGrantNothingThatAPromotedReplicaDoesNotKnow(Shard shard, int replicas) throws Exception {
        Instance owner = instance(shard.ofOwner(), replicas);
        Instance other = this.instances.at(shard.ofOther(), Setup::outlivingFailovers);
        Lease lease = owner.acquire(NAME);
        long renewed = owner.events().count(LockRenewedEvent.class, NAME);
        soon().until(() -> owner.events().count(LockRenewedEvent.class, NAME) > renewed);
        shard.cut().run();
        soon().until(() -> owner.events().count(LockAtRiskEvent.class, NAME) > 0);

        shard.failOver().run();

        AtomicBoolean granted = new AtomicBoolean();
        afterFailover().ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> {
            granted.set(other.lock(NAME).tryLock(Duration.ZERO));
            return true;
        });
        assertThat(granted).as("granted by the new master").isFalse();
        assertThat(lease.isHeld()).isTrue();
        assertThat(owner.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        return owner;
    }

    /**
     * Without a confirmation, owner and next owner can hold the lock at once; the owner is notified, and tokens grow.
     */
    @Test
    void shouldNotifyTheOwnerOfALostWriteBehindSentinels(RedisSentinels sentinels) throws Exception {
        shouldNotifyTheOwnerOfALostWrite(Shard.of(sentinels));
    }

    @Test
    void shouldNotifyTheOwnerOfALostWriteInACluster(RedisCluster cluster) throws Exception {
        shouldNotifyTheOwnerOfALostWrite(Shard.of(cluster));
    }

    private void shouldNotifyTheOwnerOfALostWrite(Shard shard) throws Exception {
        Duration interval = Duration.ofSeconds(1);
        Instance owner = this.instances.at(
                shard.ofOwner(), setup -> setup.waitingForFailovers().lease(Duration.ofSeconds(20), interval));
        Instance other = this.instances.at(shard.ofOther(), Setup::outlivingFailovers);
        shard.cut().run();
        Lease lease = owner.acquire(NAME);

        shard.failOver().run();
        Lease next = get(other.waitFor(NAME));
        long grantedAt = System.nanoTime();

        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(get(lease.lost())).isIn(LossReason.TAKEN_OVER, LossReason.DELETED);
        assertThat(Duration.ofNanos(System.nanoTime() - grantedAt))
                .as("notified at its next renewal")
                .isLessThan(interval.plusSeconds(12));
        assertThat(lease.release()).isFalse();
        assertThat(next.release()).as("untouched by its predecessor").isTrue();
    }

    /** A slot that moves to another node takes its lock along; the pair at the old node fails. */
    @Test
    void shouldFollowASlotToAnotherNode(RedisCluster cluster) throws Exception {
        Instance instance = instance(Servers.of(cluster), 1);
        Lease lease = instance.acquire(NAME);

        SlotMigration migration = cluster.migrate(KEY);
        migration.moveKeys();
        migration.finish();

        long renewed = instance.events().count(LockRenewedEvent.class, NAME);
        afterFailover().until(() -> instance.events().count(LockRenewedEvent.class, NAME) > renewed + 1);
        assertThat(lease.release()).isTrue();
        assertThat(instance.lock(NAME).tryLock(Duration.ofSeconds(5))).isTrue();
        instance.lock(NAME).unlock();
    }
}
