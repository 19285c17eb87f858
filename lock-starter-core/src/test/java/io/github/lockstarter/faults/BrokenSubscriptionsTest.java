package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Subscriptions break during contention, and messages are lost, repeated and late: one owner at a time, all are served. */
@RedisTest
class BrokenSubscriptionsTest {

    private static final Duration DURATION = Duration.ofSeconds(8);

    private static final Duration LEASE = Duration.ofSeconds(6);

    private static final int INSTANCES = 3;

    private static final int THREADS = 2;

    @AutoClose
    private final Instances instances = new Instances();

    private final List<FaultProxy> proxies = new ArrayList<>();

    private final RedisServer server;

    private final RedisCli redis;

    BrokenSubscriptionsTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @AfterEach
    void closeProxies() {
        this.proxies.forEach(FaultProxy::close);
    }

    @Test
    void shouldExcludeAndServeAll() throws Exception {
        Contention contention = new Contention(1);
        List<Instance> members = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            FaultProxy proxy = FaultProxy.inFrontOf(this.server.port());
            this.proxies.add(proxy);
            members.add(this.instances.at(
                    proxy,
                    setup -> setup.lease(LEASE)
                            .commandTimeout(Duration.ofMillis(500))
                            .pollInterval(Duration.ofMillis(300))
                            .withoutHandOff()));
        }
        long until = System.nanoTime() + DURATION.toNanos();
        List<Call<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < INSTANCES * THREADS; i++) {
            Instance instance = members.get(i % INSTANCES);
            threads.add(Call.start(() -> contention.takePart(instance, until)));
        }
        int faults = 0;
        try (Repeater repeater = Repeater.of(this.server)) {
            for (; System.nanoTime() - until < 0; faults++) {
                breakSomething();
                int enough = contention.grants() + ThreadLocalRandom.current().nextInt(5, 60);
                soon().until(() -> contention.grants() > enough || System.nanoTime() - until >= 0);
            }
            assertThat(repeater.repeated()).isGreaterThan(50);
        }
        within(Duration.ofSeconds(15)).until(() -> threads.stream().allMatch(Call::isDone));

        assertThat(faults).isGreaterThan(5);
        assertThat(contention.violations()).isEmpty();
        assertThat(contention.visits()).as("none came between two").isEqualTo(contention.grants());
        assertThat(contention.losses()).isZero();
        for (Call<Integer> thread : threads) {
            assertThat(thread.result()).as("none starves").isGreaterThan(5);
        }
        assertThat(this.proxies.stream()
                        .mapToLong(proxy -> proxy.commandsSeen(Script.RENEW))
                        .sum())
                .as("messages that were believed")
                .isGreaterThan(contention.grants() / 4);
        within(LEASE.plusSeconds(3)).until(() -> this.redis.keys().isEmpty());
    }

    private void breakSomething() {
        switch (ThreadLocalRandom.current().nextInt(4)) {
            case 0 ->
                this.proxies.get(ThreadLocalRandom.current().nextInt(INSTANCES)).cutRst();
            default -> this.redis.command("CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "yes");
        }
    }
}
