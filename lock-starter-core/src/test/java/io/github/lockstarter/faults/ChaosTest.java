package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three instances, four threads each, few locks, and a network that breaks several times a second. */
@Tag("full")
@RedisTest
class ChaosTest {

    private static final Duration DURATION = Duration.ofSeconds(10);

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final int INSTANCES = 3;

    private static final int THREADS = 4;

    @AutoClose
    private final Instances instances = new Instances();

    private final List<FaultProxy> proxies = new ArrayList<>();

    private final RedisServer server;

    private final RedisCli redis;

    ChaosTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @AfterEach
    void closeProxies() {
        this.proxies.forEach(FaultProxy::close);
    }

    @Test
    void shouldExcludeOrderAndServeEverybody() throws Exception {
        takePart(DURATION, setup -> setup.lease(LEASE).commandTimeout(Duration.ofMillis(300)), this::breakSomething);
    }

    @Test
    void shouldDoSoWithClientsThatReplayCommands() throws Exception {
        takePart(DURATION.dividedBy(2), setup -> setup.lease(LEASE).sharedConnection(), ChaosTest::haveReplayed);
    }

    private void takePart(Duration duration, UnaryOperator<Setup> setup, Consumer<FaultProxy> fault) throws Exception {
        Contention contention = new Contention(3);
        List<Instance> members = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            FaultProxy proxy = FaultProxy.inFrontOf(this.server.port());
            this.proxies.add(proxy);
            members.add(this.instances.at(proxy, setup));
        }
        long until = System.nanoTime() + duration.toNanos();
        List<Call<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < INSTANCES * THREADS; i++) {
            Instance instance = members.get(i % INSTANCES);
            threads.add(Call.start(() -> contention.takePart(instance, until)));
        }
        int faults = 0;
        for (; System.nanoTime() - until < 0; faults++) {
            fault.accept(this.proxies.get(ThreadLocalRandom.current().nextInt(INSTANCES)));
            // once things go on, again
            int enough = contention.grants() + ThreadLocalRandom.current().nextInt(5, 50);
            soon().until(() -> contention.grants() > enough || System.nanoTime() - until >= 0);
        }
        within(Duration.ofSeconds(10)).until(() -> threads.stream().allMatch(Call::isDone));

        assertThat(faults).isGreaterThan(10);
        assertThat(contention.violations()).isEmpty();
        assertThat(contention.losses()).as("no hold was longer than a moment").isZero();
        assertThat(contention.visits()).as("none came between two").isEqualTo(contention.grants());
        for (Call<Integer> thread : threads) {
            assertThat(thread.result()).as("nobody starves").isGreaterThan(5);
        }
        assertThatNothingIsLeft();
    }

    private void assertThatNothingIsLeft() {
        // what a lost reply has left is taken back, or runs out
        within(LEASE.plusSeconds(3)).until(() -> this.redis.keys().isEmpty());
        this.proxies.forEach(FaultProxy::forgetCommands);
        long since = System.nanoTime();
        soon().until(() -> System.nanoTime() - since > LEASE.toNanos());
        for (FaultProxy proxy : this.proxies) {
            assertThat(proxy.commandsSeen(Script.RENEW))
                    .as("nothing is renewed for nobody")
                    .isZero();
        }
        assertThat(this.redis.keys()).isEmpty();
    }

    private void breakSomething(FaultProxy proxy) {
        switch (ThreadLocalRandom.current().nextInt(7)) {
            case 0 -> proxy.cutRst();
            case 1 -> proxy.cutFin();
            case 2 -> proxy.swallowReplyOf(Script.ACQUIRE, proxy::cutRst);
            case 3 -> proxy.swallowReplyOf(Script.RELEASE, proxy::cutFin);
            case 4 -> proxy.swallowReplyOf(Script.ACQUIRE, () -> {});
            case 5 -> proxy.swallowRequestOf(Script.RELEASE, proxy::cutRst);
            default -> this.redis.command("SCRIPT", "FLUSH");
        }
    }

    private static void haveReplayed(FaultProxy proxy) {
        switch (ThreadLocalRandom.current().nextInt(3)) {
            case 0 -> proxy.cutFin();
            case 1 -> proxy.swallowReplyOf(Script.ACQUIRE, proxy::cutFin);
            default -> proxy.swallowReplyOf(Script.RELEASE, proxy::cutFin);
        }
    }
}
