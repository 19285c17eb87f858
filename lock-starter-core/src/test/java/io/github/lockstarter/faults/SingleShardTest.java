package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.SingleShard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster of one shard that is addressed as a single server: it takes no keys of different slots in one call. */
@Tag("redis")
class SingleShardTest {

    private static final Pattern REFUSALS = Pattern.compile("errorstat_CROSSSLOT:count=(\\d+)");

    /** So often is each lock renewed in a test. */
    private static final int RENEWALS = 33;

    @AutoClose
    private static RedisServer shard;

    @AutoClose
    private final Instances instances = new Instances();

    @AutoClose
    private final RedisCli redis = shard.cli();

    @AutoClose
    private final LogCapture log = new LogCapture("io.github.lockstarter.store", Level.INFO);

    @BeforeAll
    static void startShard() {
        shard = SingleShard.start();
    }

    @BeforeEach
    void empty() {
        this.redis.flushall();
        this.redis.command("CONFIG", "RESETSTAT");
    }

    /** Renewed often; no reply is late on a machine that is busy. */
    private static Setup quick(Setup setup) {
        return setup.calm().lease(Duration.ofSeconds(12), Duration.ofMillis(150));
    }

    /** Acquires them together, so that their renewals are due in the same moments, however slow the machine is. */
    private static List<Lease> acquire(Instance instance, int count) throws Exception {
        List<CompletableFuture<Lease>> asked = IntStream.range(0, count)
                .mapToObj(i -> instance.waitFor("many:" + i))
                .toList();
        get(CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new)));
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static long renewed(Instance instance) {
        return instance.events().count(LockRenewedEvent.class);
    }

    private static void awaitRenewals(Instance instance, List<Lease> leases, int times) {
        instance.awaitRenewals((long) times * leases.size());
        assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(State.HELD));
    }

    private long scriptCalls() {
        Map<String, Long> calls = this.redis.infoCommandStats();
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
    }

    /** How often the server refused a call because of its slots. */
    private long refusals() {
        Matcher count = REFUSALS.matcher(this.redis.info("errorstats"));
        return count.find() ? Long.parseLong(count.group(1)) : 0;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 250})
    void shouldRenewLocksOfDifferentSlots(int count) throws Exception {
        Instance instance = this.instances.at(shard, SingleShardTest::quick);
        soon().until(() -> !this.log.with("cluster.nodes").isEmpty());
        assertThat(this.log.with("cluster.nodes")).hasSize(1);
        assertThat(refusals()).as("the question at the start").isEqualTo(1);
        List<Lease> leases = acquire(instance, count);
        long renewed = renewed(instance);
        long called = scriptCalls();

        awaitRenewals(instance, leases, RENEWALS);

        assertThat((double) (scriptCalls() - called) / (renewed(instance) - renewed))
                .as("one command for each renewal")
                .isBetween(0.8, 1.2);
        assertThat(refusals()).isEqualTo(1);
        assertThat(instance.events().all(LockRenewalFailedEvent.class)).isEmpty();
        leases.forEach(lease -> assertThat(lease.release()).isTrue());
        assertThat(this.redis.keys()).isEmpty();
    }

    /** As after a restart, until enough of its nodes know each other. */
    @Test
    void shouldGoOnWhenTheClusterHasBeenDownForAMoment() throws Exception {
        Instance instance = this.instances.at(shard, Setup::calm);
        List<Lease> leases = acquire(instance, 2);
        this.redis.command("CLUSTER", "DELSLOTS", "0");
        CompletableFuture<Lease> waiting = instance.waitFor("new");
        soon().until(() -> instance.events().count(LockRenewalFailedEvent.class) > 1);
        Instance late = this.instances.at(shard, setup -> setup.calm().unreachable());

        this.redis.command("CLUSTER", "ADDSLOTS", "0");

        awaitRenewals(instance, leases, 2);
        assertThat(get(waiting).release()).isTrue();
        assertThat(late.acquire("late").release()).isTrue();
        assertThat(this.log.with("cluster.nodes")).as("each of them knows").hasSize(2);
    }

    /** The connection is the same one to the client, and so are the locks: the first batch finds out. */
    @Test
    void shouldFindOutAtTheFirstRefusal() throws Exception {
        try (RedisServer before = RedisServer.start();
                RedisCli its = before.cli();
                FaultProxy proxy = FaultProxy.inFrontOf(before.port())) {
            // A renewal is due after the reply to the last one, however slow the machine is, and so in a batch.
            Instance instance = this.instances.at(
                    proxy, setup -> setup.calm().lease(Duration.ofSeconds(12), Duration.ofMillis(1500)));
            List<Lease> leases = acquire(instance, 150);
            its.command("CONFIG", "RESETSTAT");
            awaitRenewals(instance, leases, 2);
            assertThat(its.infoCommandStats().getOrDefault("evalsha", 0L)).isLessThan(20);
            copy(its, 150);

            proxy.leadTo(shard.port());
            proxy.cutFin();

            awaitRenewals(instance, leases, 3);
            assertThat(refusals()).as("a batch of each thread, at most").isBetween(1L, 4L);
            leases.forEach(lease -> assertThat(lease.release()).isTrue());
        }
    }

    private void copy(RedisCli from, int count) {
        for (int i = 0; i < count; i++) {
            String key = "lock:{many:" + i + "}";
            List<String> command = new ArrayList<>(List.of("HSET", key));
            from.hgetall(key).forEach((field, value) -> command.addAll(List.of(field, value)));
            this.redis.command(command.toArray(String[]::new));
            this.redis.command("PEXPIRE", key, "60000");
        }
    }
}
