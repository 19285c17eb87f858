package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.ROLE;
import static io.github.lockstarter.leader.Instance.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Many changes of the leader among three instances: cedes, stops, failing listeners, and instances that are cut off.
 * {@code -Dlock.leader.changes} sets their number, {@code -Dlock.soak.seed} repeats a run.
 */
@RedisTest
@Tag("soak")
@Timeout(1200)
class LeaderSoakTest {

    /** The beans of all instances that run. */
    private static final AtomicInteger RUNNING = new AtomicInteger();

    private static final AtomicInteger MOST_RUNNING = new AtomicInteger();

    private static final AtomicInteger FAILURES = new AtomicInteger();

    private final RedisServer redis;

    private final FaultProxy proxy;

    private final List<Instance> instances = new ArrayList<>();

    LeaderSoakTest(RedisServer redis, FaultProxy proxy) {
        this.redis = redis;
        this.proxy = proxy;
    }

    @AfterEach
    void close() {
        this.proxy.heal();
        this.instances.forEach(Instance::close);
    }

    @Test
    void shouldAlwaysHaveALeaderAgainAndNeverTwo() throws InterruptedException {
        int changes = Integer.getInteger("lock.leader.changes", 1_000);
        long seed = Long.getLong("lock.soak.seed", System.nanoTime());
        System.out.println("Seed of the soak of leaders: " + seed);
        Random random = new Random(seed);
        RUNNING.set(0);
        MOST_RUNNING.set(0);
        this.instances.add(start(this.proxy.port()));
        this.instances.add(start(this.redis.port()));
        this.instances.add(start(this.redis.port()));
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong mostLeaders = new AtomicLong();
        Thread watch = new Thread(() -> {
            while (!ended.get()) {
                long leaders =
                        this.instances.stream().filter(Instance::isLeader).count();
                if (leaders > 1) {
                    // Two reads are no moment: the first leader may have ceded between them.
                    leaders = this.instances.stream().filter(Instance::isLeader).count();
                    leaders = Math.min(
                            leaders,
                            this.instances.stream().filter(Instance::isLeader).count());
                }
                mostLeaders.accumulateAndGet(leaders, Math::max);
            }
        });
        watch.start();
        int lost = 0;
        for (int change = 0; change < changes; change++) {
            Instance leader = awaitLeader();
            int kind = random.nextInt(40);
            if (kind == 0 && leader == this.instances.get(0)) {
                this.proxy.blackHole();
                eventually().until(() -> !leader.isLeader());
                awaitLeader();
                this.proxy.heal();
                lost++;
            } else if (kind < 5) {
                FAILURES.set(1);
                cede(leader, Duration.ofMillis(random.nextInt(20)));
            } else if (kind < 15) {
                leader.election().stop(ROLE);
                leader.election().start(ROLE);
            } else {
                cede(leader, Duration.ofMillis(5));
            }
        }
        awaitLeader();
        ended.set(true);
        watch.join();
        System.out.println(changes + " changes of the leader, " + lost + " of them by losses");
        assertThat(mostLeaders).hasValue(1);
        assertThat(MOST_RUNNING).hasValue(1);
        for (Instance instance : this.instances) {
            instance.election().stop(ROLE);
            eventually()
                    .until(() -> !instance.isLeader()
                            && instance.eventNames().stream()
                                                    .filter(name -> !name.equals("AtRisk"))
                                                    .count()
                                            % 2
                                    == 0);
            assertBothEventsOfEachEpoch(instance.events().stream()
                    .filter(event -> !(event instanceof LeadershipAtRiskEvent))
                    .toList());
        }
    }

    private static void cede(Instance leader, Duration pause) {
        try {
            leader.election().cede(ROLE, pause);
        } catch (IllegalStateException ex) {
            // A failing listener was faster.
        }
    }

    private static void assertBothEventsOfEachEpoch(List<LeadershipEvent> events) {
        assertThat(events).hasSizeGreaterThan(10);
        for (int i = 0; i + 1 < events.size(); i += 2) {
            assertThat(events.get(i)).isInstanceOf(LeadershipGrantedEvent.class);
            assertThat(events.get(i + 1)).isInstanceOf(LeadershipRevokedEvent.class);
            assertThat(events.get(i).epoch()).isEqualTo(events.get(i + 1).epoch());
            assertThat(i == 0 || events.get(i).epoch() > events.get(i - 1).epoch())
                    .isTrue();
        }
    }

    private Instance awaitLeader() {
        eventually().until(() -> this.instances.stream().anyMatch(Instance::isLeader));
        return this.instances.stream().filter(Instance::isLeader).findFirst().orElseGet(this::awaitLeader);
    }

    private static Instance start(int port) {
        return Instance.start(
                port,
                List.of(
                        "--distributed-lock.leader.roles.feed.retry-delay=100ms",
                        "--distributed-lock.leader.roles.feed.watchdog-timeout=3s"),
                CountedBean.class,
                FailingListener.class);
    }

    @LeaderOnly(ROLE)
    static class CountedBean implements SmartLifecycle {

        private volatile boolean running;

        @Override
        public void start() {
            MOST_RUNNING.accumulateAndGet(RUNNING.incrementAndGet(), Math::max);
            this.running = true;
        }

        @Override
        public void stop() {
            this.running = false;
            RUNNING.decrementAndGet();
        }

        @Override
        public boolean isRunning() {
            return this.running;
        }
    }

    static class FailingListener {

        @EventListener
        @Order(Ordered.LOWEST_PRECEDENCE)
        void on(LeadershipGrantedEvent event) {
            if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalStateException("a failure of the test");
            }
        }
    }
}
