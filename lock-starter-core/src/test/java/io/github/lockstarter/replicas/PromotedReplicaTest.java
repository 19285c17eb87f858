package io.github.lockstarter.replicas;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Under load a replica is promoted that lags: it must know every grant that is believed at that moment, if all replicas
 * confirm. Without that, grants are lost, which shows that the check finds them.
 */
@Tag("redis")
class PromotedReplicaTest {

    private static final int THREADS = 8;

    @AutoClose
    private final MasterWithReplicas servers = new MasterWithReplicas(2);

    @AutoClose
    private final FaultProxy network =
            FaultProxy.inFrontOf(this.servers.master().port());

    @AutoClose
    private final Instances instances = new Instances();

    private final Queue<Lease> granted = new ConcurrentLinkedQueue<>();

    private final AtomicInteger failures = new AtomicInteger();

    private volatile boolean over;

    /** So that grants are under way to it when it takes over. */
    @BeforeEach
    void delayReplication() {
        this.servers.link(0).delay(20);
    }

    @Test
    void shouldLoseNoGrantThatAllReplicasHaveConfirmed() throws Exception {
        assertThat(lostGrants(2)).isEmpty();
    }

    @Test
    void shouldFindGrantsThatAreLostWithoutConfirmation() throws Exception {
        assertThat(lostGrants(0)).isNotEmpty();
    }

    /** Returns the leases that are held when the lagging replica takes over, and that it does not know. */
    private List<Lease> lostGrants(int confirmReplicas) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Instance instance = this.instances.at(
                    this.network,
                    setup -> setup.calm()
                            .lease(Duration.ofMinutes(1), Duration.ofMillis(500))
                            .commandTimeout(Duration.ofSeconds(1))
                            .waitTime(Duration.ofMillis(500))
                            .confirmReplicas(confirmReplicas));
            for (int t = 0; t < THREADS / 2; t++) {
                Thread thread = new Thread(() -> acquireAndRelease(instance), "load");
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
        }
        soon().until(() -> this.granted.size() > 150);

        // Nothing more reaches this replica, while the other one goes on. Clients notice nothing for a while.
        this.servers.link(0).stall();
        int before = this.granted.size();
        soon().until(() -> this.failures.get() >= THREADS || this.granted.size() > before + 50);
        this.network.blackHole();
        this.over = true;
        RedisServer promoted = this.servers.promote(0);

        List<Lease> held = this.granted.stream().filter(Lease::isHeld).toList();
        List<Lease> lost =
                held.stream().filter(lease -> !isKnown(lease, promoted)).toList();
        Remarks.say("confirm-replicas=" + confirmReplicas + ": " + held.size() + " grants are held at the failover, "
                + lost.size() + " of them are lost");
        assertThat(held).hasSizeGreaterThan(10);
        this.network.leadTo(promoted.port());
        this.network.heal();
        this.network.cutRst();
        for (Thread thread : threads) {
            thread.join(20_000);
        }
        return lost;
    }

    /** Keeps most of its locks, and releases some. */
    private void acquireAndRelease(Instance instance) {
        for (int i = 0; !this.over; i++) {
            String name = Thread.currentThread().getId() + "-" + i;
            try {
                Lease lease =
                        instance.registry().tryAcquire(LockRequest.of(name)).orElseThrow();
                if (i % 3 == 2) {
                    lease.release();
                } else {
                    this.granted.add(lease);
                }
            } catch (LockException ex) {
                this.failures.incrementAndGet();
            } catch (InterruptedException ex) {
                return;
            }
        }
    }

    private static boolean isKnown(Lease lease, RedisServer server) {
        try (RedisCli cli = server.cli()) {
            Map<String, String> lock = cli.hgetall("lock:{" + lease.name() + "}");
            return Long.toString(lease.fencingToken()).equals(lock.get("f"))
                    && cli.pttl("lock:{" + lease.name() + "}") > 0;
        }
    }
}
