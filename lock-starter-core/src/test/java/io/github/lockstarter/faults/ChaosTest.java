package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three instances, four threads each, few locks, and a network that breaks several times a second. */
@Tag("full")
class ChaosTest extends FaultFixture {

    private static final Duration DURATION = Duration.ofSeconds(10);

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final int INSTANCES = 3;

    private static final int THREADS = 4;

    private final List<FaultProxy> proxies = new ArrayList<>();

    private final List<Guarded> guarded = List.of(new Guarded(), new Guarded(), new Guarded());

    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    private final AtomicInteger grants = new AtomicInteger();

    /** What one lock guards: nothing but the lock keeps its visitors apart, so that a missing exclusion is noticed. */
    private static final class Guarded {

        private final AtomicReference<Lease> inside = new AtomicReference<>();

        private volatile long lastToken;

        private int visits;
    }

    @AfterEach
    void closeProxies() {
        this.proxies.forEach(FaultProxy::close);
    }

    @Test
    void shouldExcludeOrderAndServeEverybody() throws Exception {
        takePart(DURATION, setup -> setup.lease(LEASE).commandTimeout(Duration.ofMillis(300)), this::breakSomething);
    }

    private void takePart(Duration duration, UnaryOperator<Setup> setup, Consumer<FaultProxy> fault) throws Exception {
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
            threads.add(Call.start(() -> contend(instance, until)));
        }
        int faults = 0;
        for (; System.nanoTime() - until < 0; faults++) {
            fault.accept(this.proxies.get(ThreadLocalRandom.current().nextInt(INSTANCES)));
            // once things go on, again
            int enough = this.grants.get() + ThreadLocalRandom.current().nextInt(5, 50);
            soon().until(() -> this.grants.get() > enough || System.nanoTime() - until >= 0);
        }
        within(Duration.ofSeconds(10)).until(() -> threads.stream().allMatch(Call::isDone));

        assertThat(faults).isGreaterThan(10);
        assertThat(this.violations).isEmpty();
        assertThat(this.guarded.stream().mapToInt(each -> each.visits).sum())
                .as("none came between two")
                .isEqualTo(this.grants.get());
        for (Call<Integer> thread : threads) {
            assertThat(thread.result()).as("nobody starves").isGreaterThan(5);
        }
        assertThatNothingIsLeft();
    }

    /** Locks and unlocks until then; returns how often it was granted a lock. */
    private int contend(Instance instance, long untilNanos) throws InterruptedException {
        int mine = 0;
        while (System.nanoTime() - untilNanos < 0) {
            int number = ThreadLocalRandom.current().nextInt(this.guarded.size());
            LockRequest request = LockRequest.of("contended:" + number).withWaitTime(Duration.ofSeconds(3));
            try {
                Optional<Lease> lease = instance.registry().tryAcquire(request);
                if (lease.isPresent()) {
                    visit(this.guarded.get(number), lease.get());
                    mine++;
                }
            } catch (LockStoreException ex) {
                // the network is bad
            }
        }
        return mine;
    }

    private void visit(Guarded each, Lease lease) {
        Lease before = each.inside.getAndSet(lease);
        if (before != null && before.isHeld() && lease.isHeld()) {
            this.violations.add("both held: " + before + " and " + lease);
        }
        if (lease.fencingToken() <= each.lastToken) {
            this.violations.add(lease.fencingToken() + " after " + each.lastToken);
        }
        each.lastToken = lease.fencingToken();
        int seen = each.visits;
        // Long enough for another thread to come in if the lock lets it.
        long since = System.nanoTime();
        while (System.nanoTime() - since < 100_000) {
            Thread.onSpinWait();
        }
        each.visits = seen + 1;
        this.grants.incrementAndGet();
        each.inside.compareAndSet(lease, null);
        if (!lease.release()) {
            this.violations.add("lost, though no hold was longer than a moment: " + lease);
        }
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
}
