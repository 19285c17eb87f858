package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockStoreException;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
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

    /** Without the confirmation the new master would know nothing of the lock, see LostWriteFailoverTest. */
    @Test
    void shouldGrantNothingThatAPromotedReplicaDoesNotKnowBehindSentinels(RedisSentinels sentinels) throws Exception {
        Instance owner = instance(Servers.of(sentinels), 2);
        Instance other = this.instances.at(Servers.of(sentinels), Setup::outlivingFailovers);
        Lease lease = owner.acquire(NAME);
        RedisServer master = sentinels.master();
        var replicas = sentinels.replicas();
        sentinels.cutReplication();
        assertThat(catchThrowableOfType(
                        LockStoreException.class, () -> owner.lock("unheard").tryLock(Duration.ZERO)))
                .isNotNull();

        master.kill();
        replicas.forEach(RedisServer::resume);

        sentinels.awaitMasterOtherThan(master);
        keepsItsLock(lease, owner, other);
        // What was the master is the second replica then.
        master.restart();
        afterFailover()
                .ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> owner.lock("unheard").tryLock(Duration.ofSeconds(5)));
    }

    @Test
    void shouldGrantNothingThatAPromotedReplicaDoesNotKnowInACluster(RedisCluster cluster) throws Exception {
        Instance owner = instance(Servers.of(cluster), 1);
        Instance other = this.instances.at(Servers.of(cluster), Setup::outlivingFailovers);
        Lease lease = owner.acquire(NAME);
        RedisServer master = cluster.masterOf(KEY);
        RedisServer replica = cluster.replicaOf(KEY);
        cluster.cutReplication(KEY);
        String sameShard = IntStream.range(0, 1000)
                .mapToObj(i -> "unheard-" + i)
                .filter(name -> cluster.masterOf("lock:{" + name + "}") == master)
                .findFirst()
                .orElseThrow();
        assertThat(catchThrowableOfType(
                        LockStoreException.class, () -> owner.lock(sameShard).tryLock(Duration.ZERO)))
                .isNotNull();

        master.kill();
        replica.resume();

        cluster.awaitMasterOtherThan(master, KEY);
        keepsItsLock(lease, owner, other);
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

    private static void keepsItsLock(Lease lease, Instance owner, Instance other) throws Exception {
        AtomicBoolean granted = new AtomicBoolean();
        afterFailover().ignoreExceptionsInstanceOf(LockStoreException.class).until(() -> {
            granted.set(other.lock(NAME).tryLock(Duration.ZERO));
            return true;
        });
        assertThat(granted).as("granted by the new master").isFalse();
        assertThat(lease.isHeld()).isTrue();
        assertThat(owner.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
    }
}
