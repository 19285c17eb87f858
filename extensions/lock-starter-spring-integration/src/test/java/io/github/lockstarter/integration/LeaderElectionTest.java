package io.github.lockstarter.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's leader election over locks of ours: a leader whose lock is lost leads no longer. */
@RedisTest
@Timeout(90)
class LeaderElectionTest {

    private static final String ROLE = "billing";

    private final RedisServer redis;

    private final FaultProxy proxy;

    /** What happened to whom, in the order in which it happened. */
    private final List<String> events = new CopyOnWriteArrayList<>();

    private final List<AutoCloseable> running = new ArrayList<>();

    LeaderElectionTest(RedisServer redis, FaultProxy proxy) {
        this.redis = redis;
        this.proxy = proxy;
    }

    @AfterEach
    void close() throws Exception {
        this.proxy.heal();
        for (AutoCloseable one : this.running) {
            one.close();
        }
    }

    @Test
    void shouldRevokeALeaderThatIsCutOffBeforeAnotherLeads() {
        // A tenth of it is the time in which the leader has to notice.
        Duration lease = Duration.ofSeconds(6);
        LockRegistryLeaderInitiator first = candidate("first", this.proxy.port(), lease);
        eventually().until(() -> first.getContext().isLeader());
        LockRegistryLeaderInitiator second = candidate("second", this.redis.port(), lease);

        this.proxy.blackHole();

        eventually()
                .untilAsserted(() ->
                        assertThat(this.events).containsExactly("first granted", "first revoked", "second granted"));
        assertThat(second.getContext().isLeader()).isTrue();
        assertThat(first.getContext().isLeader()).isFalse();
    }

    @Test
    void shouldRevokeALeaderWithinALeaseWhenRedisIsGone() {
        Duration lease = Duration.ofSeconds(5);
        LockRegistryLeaderInitiator first = candidate("first", this.redis.port(), lease);
        LockRegistryLeaderInitiator second = candidate("second", this.redis.port(), lease);
        eventually().until(() -> this.events.size() == 1);

        this.redis.kill();

        eventually().until(() -> this.events.size() == 2);
        assertThat(first.getContext().isLeader() || second.getContext().isLeader())
                .isFalse();
        this.redis.restart();
        eventually().until(() -> this.events.size() == 3);
        assertThat(first.getContext().isLeader() ^ second.getContext().isLeader())
                .isTrue();
        assertThat(this.events.get(1)).endsWith("revoked");
        assertThat(this.events.get(2)).endsWith("granted");
    }

    @Test
    void shouldRevokeALeaderWithItsNextRenewalWhenItsLockIsTakenByForce() {
        Duration lease = Duration.ofSeconds(3);
        LockRegistryLeaderInitiator first = candidate("first", this.redis.port(), lease);
        eventually().until(() -> first.getContext().isLeader());
        LockRegistryLeaderInitiator second = candidate("second", this.redis.port(), lease);

        try (Instance administrator = new Instance(this.redis.port(), lease)) {
            assertThat(administrator.registry().getLock("integration:" + ROLE).forceUnlock())
                    .isTrue();
        }

        // a candidate is called after its state has changed
        eventually()
                .until(() ->
                        second.getContext().isLeader() && !first.getContext().isLeader() && this.events.size() == 3);
        assertThat(this.events).containsExactlyInAnyOrder("first granted", "first revoked", "second granted");

        second.stop();

        eventually().until(() -> first.getContext().isLeader());
        // the lock is free before the candidate that gave it up is called
        eventually()
                .untilAsserted(() -> assertThat(List.copyOf(this.events).subList(3, this.events.size()))
                        .containsExactlyInAnyOrder("second revoked", "first granted"));
    }

    private LockRegistryLeaderInitiator candidate(String name, int redisPort, Duration lease) {
        Instance instance = new Instance(redisPort, lease);
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(instance.locks(), new Recorded(name, this.events));
        initiator.setHeartBeatMillis(50);
        initiator.setApplicationEventPublisher(event -> {});
        initiator.start();
        this.running.add(initiator::destroy);
        this.running.add(instance);
        return initiator;
    }

    private static ConditionFactory eventually() {
        return await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(20));
    }

    private static final class Recorded extends AbstractCandidate {

        private final List<String> events;

        Recorded(String name, List<String> events) {
            super(name, ROLE);
            this.events = events;
        }

        @Override
        public void onGranted(Context context) {
            this.events.add(getId() + " granted");
        }

        @Override
        public void onRevoked(Context context) {
            this.events.add(getId() + " revoked");
        }
    }
}
