package io.github.lockstarter.leader;

import static io.github.lockstarter.leader.Instance.ROLE;
import static io.github.lockstarter.leader.Instance.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Roles of several instances of an application on a real Redis. */
@RedisTest
@Timeout(120)
class LeaderRolesTest {

    /** A tenth of it is the time in which a loss must be noticed. */
    private static final String SHORT_PAUSE = "--distributed-lock.leader.roles.feed.retry-delay=500ms";

    private static final String SHORT_LEASE = "--distributed-lock.leader.roles.feed.watchdog-timeout=2s";

    /** What the beans of all instances do, in the order in which it happens. */
    private static final List<String> HISTORY = new CopyOnWriteArrayList<>();

    private final RedisServer redis;

    private final FaultProxy proxy;

    private final List<Instance> instances = new ArrayList<>();

    LeaderRolesTest(RedisServer redis, FaultProxy proxy) {
        this.redis = redis;
        this.proxy = proxy;
    }

    @BeforeEach
    void clear() {
        HISTORY.clear();
        Feed.stopGate = new CountDownLatch(0);
        FailingListener.failures.set(0);
    }

    @AfterEach
    void close() {
        this.proxy.heal();
        Feed.stopGate.countDown();
        this.instances.forEach(Instance::close);
    }

    @Test
    void shouldPassTheRoleOnWhenTheBeansOfAStoppingInstanceHaveStopped() throws Exception {
        Instance first = start(Feed.class).leading();
        Instance second = start(Feed.class).contending();
        eventually().until(() -> HISTORY.equals(List.of("started")));
        Feed.stopGate = new CountDownLatch(1);

        Thread closing = new Thread(first::close);
        closing.start();

        eventually().until(() -> HISTORY.equals(List.of("started", "stopping")));
        assertThat(second.isLeader()).isFalse();
        assertThat(second.election().leader(ROLE)).isPresent();
        Feed.stopGate.countDown();
        second.leading();
        closing.join();
        eventually().until(() -> HISTORY.equals(List.of("started", "stopping", "stopped", "started")));
        assertThat(second.eventNames()).containsExactly("Granted");
        assertThat(second.bean(Feed.class).isRunning()).isTrue();
    }

    @Test
    void shouldCedeAndContendAgain() {
        Instance first = startAt(this.redis.port(), List.of(SHORT_PAUSE)).leading();
        Instance second = startAt(this.redis.port(), List.of(SHORT_PAUSE)).contending();
        long epoch = first.events().get(0).epoch();

        first.election().cede(ROLE);

        assertThat(first.isLeader()).isFalse();
        second.leading();
        first.contending();
        assertThat(first.events())
                .containsExactly(
                        new LeadershipGrantedEvent(ROLE, epoch),
                        new LeadershipRevokedEvent(ROLE, epoch, LeadershipRevokedEvent.Reason.CEDED));
        eventually().until(() -> second.events().size() == 1);
        assertThat(second.events().get(0).epoch()).isGreaterThan(epoch);
        assertThatThrownBy(() -> first.election().cede(ROLE)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> second.election().cede(ROLE, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        second.election().stop(ROLE);
        first.leading();
    }

    @Test
    void shouldRevokeALostRoleBeforeAnotherInstanceLeads() {
        Instance first = startAt(this.proxy.port(), List.of(SHORT_LEASE)).leading();
        Instance second = start().contending();

        this.proxy.blackHole();

        second.leading();
        assertThat(first.isLeader()).isFalse();
        eventually()
                .untilAsserted(() -> assertThat(first.eventNames())
                        .startsWith("Granted", "AtRisk")
                        .endsWith("Revoked"));
        assertThat(first.events().get(first.events().size() - 1))
                .extracting("reason")
                .isEqualTo(LeadershipRevokedEvent.Reason.LOST);
        this.proxy.heal();
        first.contending();
        second.close();
        first.leading();
    }

    @Test
    void shouldContendAgainWhenRedisWasRestarted() {
        Instance first = startAt(this.redis.port(), List.of(SHORT_LEASE)).leading();
        this.redis.kill();
        eventually().until(() -> first.eventNames().contains("Revoked"));

        this.redis.restart();

        first.leading();
        eventually().untilAsserted(() -> assertThat(first.eventNames()).endsWith("Revoked", "Granted"));
    }

    @Test
    void shouldGiveTheRoleUpWhenAListenerThrows() {
        FailingListener.failures.set(2);
        Instance first = start(FailingListener.class);

        eventually()
                .until(() -> first.eventNames().equals(List.of("Granted", "Revoked", "Granted", "Revoked", "Granted")));

        assertThat(first.events().get(1)).extracting("reason").isEqualTo(LeadershipRevokedEvent.Reason.FAILED);
        first.leading();
    }

    @Test
    void shouldContendAgainAfterTheDelayWhenAListenerAlwaysThrows() {
        FailingListener.failures.set(1_000);
        long start = System.nanoTime();
        Instance first = start(FailingListener.class);

        eventually().until(() -> first.events().size() >= 6);

        long grants = first.eventNames().stream().filter("Granted"::equals).count();
        long delays = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 100;
        assertThat(grants).isLessThanOrEqualTo(delays + 1);
        FailingListener.failures.set(0);
        first.leading();
    }

    @Test
    void shouldLetTheLeaseRunOutWhenABeanDoesNotStop() {
        Instance first = startAt(
                        this.redis.port(),
                        List.of(SHORT_LEASE, "--distributed-lock.leader.roles.feed.stop-timeout=100ms"),
                        Feed.class)
                .leading();
        Instance second = start().contending();
        eventually().until(() -> HISTORY.equals(List.of("started")));
        Feed.stopGate = new CountDownLatch(1);

        first.election().cede(ROLE);

        // The end of the lease, and not a release, lets the other one lead.
        second.leading();
        assertThat(HISTORY).containsExactly("started", "stopping");
        assertThat(first.bean(io.github.lockstarter.LockInventory.class).awaited())
                .isEmpty();
        Feed.stopGate.countDown();
        first.contending();
    }

    private Instance start(Class<?>... sources) {
        return startAt(this.redis.port(), List.of(), sources);
    }

    private Instance startAt(int port, List<String> options, Class<?>... sources) {
        Instance instance = Instance.start(port, options, sources);
        this.instances.add(instance);
        return instance;
    }

    @LeaderOnly(ROLE)
    static class Feed implements SmartLifecycle {

        static volatile CountDownLatch stopGate = new CountDownLatch(0);

        private volatile boolean running;

        @Override
        public void start() {
            HISTORY.add("started");
            this.running = true;
        }

        @Override
        public void stop() {
            HISTORY.add("stopping");
            try {
                assertThat(stopGate.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            HISTORY.add("stopped");
            this.running = false;
        }

        @Override
        public boolean isRunning() {
            return this.running;
        }
    }

    static class FailingListener {

        static final AtomicInteger failures = new AtomicInteger();

        @EventListener
        @Order(Ordered.LOWEST_PRECEDENCE) // the recorder is notified before
        void on(LeadershipGrantedEvent event) {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("a failure of the test");
            }
        }
    }
}
