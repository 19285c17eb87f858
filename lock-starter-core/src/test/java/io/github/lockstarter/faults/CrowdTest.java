package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Waiting;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Many instances with several threads each want one lock all the time. */
@RedisTest
class CrowdTest {

    private static final int INSTANCES = 12;

    private static final int THREADS = 3;

    private static final int ROUNDS = 40;

    private static final int TURNS = INSTANCES * THREADS * ROUNDS;

    private static final Duration LONG = Duration.ofSeconds(60);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisCli redis;

    private final List<Instance> members = new ArrayList<>();

    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    private final AtomicInteger inside = new AtomicInteger();

    private final AtomicInteger toCome = new AtomicInteger(TURNS);

    /** Only the lock guards these. */
    private int turns;

    private long lastToken;

    CrowdTest(RedisServer server, RedisCli redis) {
        this.redis = redis;
        for (int i = 0; i < INSTANCES; i++) {
            this.members.add(this.instances.at(
                    server, setup -> setup.lease(LONG).pollInterval(LONG).commandTimeout(Duration.ofSeconds(5))));
        }
    }

    @Test
    void shouldTakeTurnsOneAtATimeWithGrowingTokens() throws Exception {
        List<Call<Boolean>> calls = new ArrayList<>();
        for (Instance member : this.members) {
            for (int thread = 0; thread < THREADS; thread++) {
                calls.add(Call.start(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        member.registry().execute(LockRequest.of("crowded").withWaitTime(LONG), lease -> visit(lease));
                    }
                    return true;
                }));
            }
        }
        for (Call<Boolean> call : calls) {
            call.result();
        }

        assertThat(this.violations).isEmpty();
        assertThat(this.turns).isEqualTo(TURNS);
        assertThat(this.redis.exists("lock:{crowded}")).isFalse();
        assertThat(this.members).allMatch(member -> member.active() == 0 && member.waiting() == 0);
    }

    /** With somebody in line the lock is never free, not for a moment, so that who does not wait cannot have it. */
    @Test
    void shouldGiveNothingToThoseWhoDoNotWait() throws Exception {
        Lease first = this.members.get(0).registry().acquire(LockRequest.of("crowded"));
        List<Call<Boolean>> waiting = new ArrayList<>();
        for (Instance member : this.members) {
            waiting.add(Call.start(() -> takeAllTurns(member)));
        }
        WaitingLine.awaitLength(this.redis, "lock:{crowded}", INSTANCES - 1);
        List<Call<Integer>> trying = List.of(
                Call.start(() -> tryAllTheTime(this.members.get(0))),
                Call.start(() -> tryAllTheTime(this.members.get(5))));
        first.release();

        for (Call<Boolean> call : waiting) {
            call.result();
        }
        for (Call<Integer> call : trying) {
            assertThat(call.result()).as("attempts").isPositive();
        }
        assertThat(this.violations).isEmpty();
        assertThat(this.turns).isEqualTo(TURNS);
    }

    /** All of them ask at once, so that somebody waits in this instance until all have had their turn. */
    private boolean takeAllTurns(Instance member) throws Exception {
        List<CompletableFuture<Void>> leases = new ArrayList<>();
        for (int i = 0; i < THREADS * ROUNDS; i++) {
            leases.add(member.registry()
                    .acquireAsync(LockRequest.of("crowded").withWaitTime(LONG))
                    .toCompletableFuture()
                    .thenAccept(lease -> {
                        visit(lease);
                        this.toCome.decrementAndGet();
                        lease.close();
                    }));
        }
        for (CompletableFuture<Void> lease : leases) {
            lease.get(Waiting.LIMIT.toMillis() * 3, TimeUnit.MILLISECONDS);
        }
        return true;
    }

    private int tryAllTheTime(Instance member) throws InterruptedException {
        LeaseLock lock = member.lock("crowded");
        int attempts = 0;
        for (; this.toCome.get() > 0; attempts++) {
            if (lock.tryLock()) {
                if (this.toCome.get() > 0) {
                    this.violations.add("jumped the line with " + this.toCome + " turns to come");
                }
                lock.unlock();
            }
            LockSupport.parkNanos(200_000);
        }
        return attempts;
    }

    private boolean visit(Lease lease) {
        if (this.inside.incrementAndGet() != 1) {
            this.violations.add("not alone");
        }
        if (lease.fencingToken() <= this.lastToken) {
            this.violations.add(lease.fencingToken() + " after " + this.lastToken);
        }
        this.lastToken = lease.fencingToken();
        int seen = this.turns;
        Thread.onSpinWait();
        this.turns = seen + 1;
        this.inside.decrementAndGet();
        return true;
    }
}
