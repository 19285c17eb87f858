package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What it costs Redis that a lock goes from one instance to the next: the same, however many wait for it. */
@RedisTest
class HandOverCostTest {

    private static final int FEW = 2;

    private static final int MANY = 12;

    private static final int TURNS = 400;

    /** Of work under the lock: everybody else is back in line before it is over. */
    private static final long WORK_NANOS = 1_000_000;

    /** Nothing is renewed, and polling would show. */
    private static final Duration LONG = Duration.ofSeconds(60);

    private final RedisServer server;

    private final RedisCli redis;

    HandOverCostTest(RedisServer server, RedisCli redis) {
        this.server = server;
        this.redis = redis;
    }

    @Test
    void shouldNotGrowWithTheNumberOfInstances() throws Exception {
        double few = commandsEach(FEW, 1, Setup::withoutHandOff);
        double many = commandsEach(MANY, 1, Setup::withoutHandOff);

        assertThat(many).as("commands each, with few: " + few).isLessThan(few * 1.3);
    }

    /** A release and the renewal of the next owner, whose release takes a waiter behind it along into the line. */
    @Test
    void shouldBeTwoScriptsWhileMoreThreadsWaitInEachInstance() throws Exception {
        double each = commandsEach(FEW, 3, Setup::withoutHandOff, this::scripts);

        Remarks.say("scripts for each hand-over, others wait behind: " + each);
        assertThat(each).isBetween(1.9, 2.3);
    }

    /** All calls that Redis counts, those inside of scripts too, for each time that somebody had the lock. */
    private double commandsEach(int members, int threads, UnaryOperator<Setup> setup) throws Exception {
        return commandsEach(members, threads, setup, this::commands);
    }

    private double commandsEach(int members, int threads, UnaryOperator<Setup> setup, LongSupplier counted)
            throws Exception {
        try (Instances instances = new Instances()) {
            AtomicInteger turns = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            List<Call<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                Instance instance = instances.at(this.server, each -> setup.apply(patient(each)));
                for (int thread = 0; thread < threads; thread++) {
                    calls.add(Call.start(() -> takeTurns(instance, turns, over)));
                }
            }
            // all have found their place in line
            within(LONG).until(() -> turns.get() > 10 * calls.size());
            int turnsBefore = turns.get();
            long commandsBefore = counted.getAsLong();
            within(LONG).until(() -> turns.get() > turnsBefore + TURNS);
            double each = (double) (counted.getAsLong() - commandsBefore) / (turns.get() - turnsBefore);
            over.set(true);
            for (Call<Boolean> call : calls) {
                assertThat(call.result()).isTrue();
            }
            return each;
        }
    }

    private static Setup patient(Setup setup) {
        return setup.lease(LONG).pollInterval(Duration.ofSeconds(5)).commandTimeout(Duration.ofSeconds(5));
    }

    private long commands() {
        return this.redis.infoCommandStats().entrySet().stream()
                .filter(command -> !command.getKey().equals("info"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private long scripts() {
        Map<String, Long> calls = this.redis.infoCommandStats();
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
    }

    private static boolean takeTurns(Instance instance, AtomicInteger turns, AtomicBoolean over) throws Exception {
        LockRequest request = LockRequest.of("handed").withWaitTime(LONG);
        while (!over.get()) {
            instance.registry().execute(request, lease -> {
                turns.incrementAndGet();
                LockSupport.parkNanos(WORK_NANOS);
                return true;
            });
        }
        return true;
    }
}
