package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One instance holds very many locks for longer than their lease; very many names, each used once, leave nothing
 * behind.
 */
class ManyLocksTest extends FaultFixture {

    private static final int LOCKS = 10_000;

    private static final int NAMES = 100_000;

    private static final int THREADS = 4;

    private static final Duration LEASE = Duration.ofSeconds(9);

    private static final int BYTES_EACH = 50;

    /** Pools that come and go with the load. */
    private static final int SPARE_THREADS = 30;

    @Test
    void shouldBeRenewedInTime() throws Exception {
        Instance instance =
                this.instances.at(this.server, setup -> setup.lease(LEASE).commandTimeout(Duration.ofSeconds(1)));
        List<Lease> leases = acquire(instance, LOCKS);
        long heldSince = System.nanoTime();

        within(LEASE.multipliedBy(2)).until(() -> System.nanoTime() - heldSince > LEASE.toNanos());

        assertThat(leases).hasSize(LOCKS).allMatch(lease -> lease.state() == State.HELD);
        assertThat(this.redis.keys()).hasSize(LOCKS);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(instance.events().count(LockAtRiskEvent.class))
                .as("late on a busy machine")
                .isLessThan(LOCKS / 100);
        assertThat(instance.events().count(LockRenewedEvent.class)).isGreaterThanOrEqualTo(2L * LOCKS);
        assertThat(instance.active()).isEqualTo(LOCKS);
    }

    /** For minutes, or for {@code -Dlock.soak.held-seconds}, while Redis stops now and then. */
    @Test
    @Tag("soak")
    void shouldHoldAHundredThousandAndLeaveNothing() throws Exception {
        Duration lease = Duration.ofSeconds(30);
        long end = System.nanoTime()
                + Duration.ofSeconds(Long.getLong("lock.soak.held-seconds", 150))
                        .toNanos();
        Instance instance =
                this.instances.at(this.server, setup -> setup.lease(lease).commandTimeout(Duration.ofSeconds(3)));
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        List<Lease> leases = acquire(instance, NAMES);
        while (System.nanoTime() - end < 0) {
            this.server.pause();
            within(lease).during(Duration.ofSeconds(4)).until(this.server::isPaused);
            this.server.resume();
            within(lease).during(lease.dividedBy(2)).until(() -> !this.server.isPaused());
            assertThat(leases).as("held").allMatch(Lease::isHeld);
            instance.events().forget();
        }

        assertThat(this.redis.keys()).hasSize(NAMES);
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
                .as("threads do not grow with locks")
                .isLessThan(threads + SPARE_THREADS);
        assertThat(leases).as("released").allMatch(Lease::release);
        assertThat(this.redis.keys()).isEmpty();
    }

    private static List<Lease> acquire(Instance instance, int count) throws Exception {
        List<Lease> leases = Collections.synchronizedList(new ArrayList<>());
        inThreads(count, i -> leases.add(instance.acquire("many:" + i)));
        return leases;
    }

    @Test
    @Tag("full")
    @Timeout(300)
    void shouldLeaveNothingOfManyNames() throws Exception {
        List<Instance> both = List.of(patient(), patient());
        useAll(both, "warm", 4_000);
        long before = usedHeap();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();

        useAll(both, "once", NAMES);

        assertThat(both).allMatch(each -> each.active() == 0 && each.waiting() == 0);
        assertThat(this.redis.keys()).isEmpty();
        assertThat(Channel.all(this.redis)).as("one inbox each").hasSizeLessThanOrEqualTo(2);
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
                .as("threads")
                .isLessThan(threads + SPARE_THREADS);
        soon().untilAsserted(() -> assertThat(usedHeap() - before)
                .as("bytes for " + NAMES + " names")
                .isLessThan((long) NAMES * BYTES_EACH));
    }

    private Instance patient() {
        return this.instances.at(
                this.server, setup -> setup.withDescription().lease(LONG).commandTimeout(Duration.ofSeconds(5)));
    }

    private void useAll(List<Instance> both, String prefix, int names) throws Exception {
        inThreads(names, i -> use(both.get(0), both.get(1), prefix + ":" + i, i));
        both.forEach(each -> each.events().forget());
    }

    private static void use(Instance here, Instance there, String name, int number) throws Exception {
        LockRequest request = LockRequest.of(name);
        Lease first = here.acquire(name);
        if (number % 20 == 0) {
            assertThat(there.lock(name).tryLock()).isFalse();
        }
        if (number % 50 == 1) {
            CompletableFuture<Void> both = CompletableFuture.allOf(useNext(here, request), useNext(there, request));
            first.close();
            both.get(10, TimeUnit.SECONDS);
        } else {
            first.close();
        }
    }

    private static CompletableFuture<Void> useNext(Instance instance, LockRequest request) {
        return instance.registry()
                .acquireAsync(request)
                .thenAccept(Lease::close)
                .toCompletableFuture();
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Does something with each number. */
    private interface Step {
        void with(int number) throws Exception;
    }

    private static void inThreads(int numbers, Step step) throws Exception {
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            calls.add(inThread(() -> {
                for (int i = first; i < numbers; i += THREADS) {
                    step.with(i);
                }
                return true;
            }));
        }
        for (CompletableFuture<Boolean> call : calls) {
            within(Duration.ofMinutes(4)).until(call::isDone);
            assertThat(get(call)).isTrue();
        }
    }
}
