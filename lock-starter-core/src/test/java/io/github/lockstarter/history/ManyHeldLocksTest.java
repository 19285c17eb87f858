package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hundred thousand locks, held and renewed for a while by one process, while Redis stops now and then. */
@Tag("soak")
@RedisTest
class ManyHeldLocksTest {

    private static final int LOCKS = 100_000;

    private static final int AT_A_TIME = 500;

    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration STOPPED = Duration.ofSeconds(4);

    @Test
    void shouldHoldThemAllAndLeaveNothing(RedisServer server, RedisCli redis) {
        Duration time = Duration.ofSeconds(Long.getLong("lock.soak.held-seconds", 150));
        long end = System.nanoTime() + time.toNanos();
        try (Instances instances = new Instances()) {
            Instance instance = instances.at(
                    server,
                    setup -> setup.lease(LEASE)
                            .commandTimeout(Duration.ofSeconds(3))
                            .pollInterval(Duration.ofSeconds(1)));
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            List<Lease> leases = acquireAll(instance);
            long renewed = 0;
            while (System.nanoTime() - end < 0) {
                server.pause();
                Fleet.pause(STOPPED);
                server.resume();
                Fleet.pause(LEASE.dividedBy(2));
                assertThat(leases).as("held").allMatch(Lease::isHeld);
                renewed = redis.infoCommandStats().getOrDefault("pexpire", 0L);
                instance.events().forget();
            }
            assertThat(redis.keys()).hasSize(LOCKS);
            assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
                    .as("threads do not grow with locks")
                    .isLessThan(threads + 40);
            Remarks.say(LOCKS + " locks held, " + renewed + " times set to expire");
            assertThat(leases).as("released").allMatch(Lease::release);
            assertThat(redis.keys()).isEmpty();
        }
    }

    private static List<Lease> acquireAll(Instance instance) {
        List<Lease> leases = new ArrayList<>();
        Deque<CompletableFuture<Lease>> underway = new ArrayDeque<>();
        for (int i = 0; i < LOCKS; i++) {
            underway.add(
                    instance.registry().acquireAsync(LockRequest.of("held:" + i).withWaitTime(Duration.ofMinutes(3))));
            if (underway.size() == AT_A_TIME) {
                leases.add(underway.remove().join());
            }
        }
        underway.forEach(each -> leases.add(each.join()));
        return leases;
    }
}
