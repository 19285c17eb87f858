package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who wait for one lock in one JVM, and want different things. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class HandOverMixContract extends RegistryFixture {

    HandOverMixContract(LockBackend backend) {
        super(backend);
    }

    private static LockRequest patient() {
        return request().withWaitTime(LONG);
    }

    /** In memory or through the store. */
    private LeasingLockRegistry registry(int handOffs) {
        return registry(settings(LONG).withHandOff(new HandOffSettings(Duration.ofSeconds(10), handOffs)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldServeThoseWhoWaitWithoutAThreadInTheirOrder(int handOffs) throws Exception {
        LeasingLockRegistry registry = registry(handOffs);
        Lease taken = registry.acquire(request());
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            int number = i;
            CompletableFuture<Lease> waiting = registry.acquireAsync(patient());
            ends.add(waiting.thenAccept(lease -> {
                served.add(number);
                lease.close();
            }));
            if (i % 2 == 1) {
                assertThat(waiting.cancel(false)).isTrue();
            } else {
                expected.add(i);
            }
        }
        awaitWaiting(registry, 500);

        assertThat(taken.release()).isTrue();

        for (int number : expected) {
            get(ends.get(number));
        }
        assertThat(served).containsExactlyElementsOf(expected);
        assertThat(ends).filteredOn(CompletableFuture::isCompletedExceptionally).hasSize(500);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldCancelWhileItIsHandedOver(int handOffs) throws Exception {
        LeasingLockRegistry registry = registry(handOffs);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Lease taken = registry.acquire(request());
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            waiting.add(registry.acquireAsync(patient()));
            ends.add(waiting.get(i).thenAccept(lease -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
                lease.close();
            }));
        }
        CompletableFuture<Integer> cancelled = actor().start(() -> {
            int count = 0;
            for (int i = 0; i < waiting.size(); i += 2) {
                count += waiting.get(i).cancel(true) ? 1 : 0;
            }
            return count;
        });
        assertThat(taken.release()).isTrue();

        for (int i = 1; i < ends.size(); i += 2) {
            get(ends.get(i));
        }
        assertThat(get(cancelled)).isPositive();
        assertThat(most).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldServeThreadsAndOthersInOneOrder(int handOffs) throws Exception {
        LeasingLockRegistry registry = registry(handOffs);
        Lease taken = registry.acquire(request());
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> ends = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            expected.add(i);
            ends.add(
                    i % 2 == 0
                            ? registry.acquireAsync(patient()).thenAccept(lease -> {
                                served.add(number);
                                lease.close();
                            })
                            : actor().start(() -> registry.execute(patient(), lease -> served.add(number))));
            awaitWaiting(registry, i + 1);
        }

        assertThat(taken.release()).isTrue();

        for (CompletableFuture<?> end : ends) {
            get(end);
        }
        assertThat(served).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldGiveEachTheLeaseThatItAskedFor(int handOffs) throws Exception {
        Duration fixed = Duration.ofSeconds(20);
        LeasingLockRegistry registry = registry(handOffs);
        Lease lease = registry.acquire(patient());
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            // each kind behind each other
            boolean renewed = i % 3 == 0 || i == 4;
            waiting.add(registry.acquireAsync(renewed ? patient() : patient().withLease(fixed)));
        }
        for (int i = 0; i < 9; i++) {
            long token = lease.fencingToken();
            assertThat(lease.release()).isTrue();
            lease = get(waiting.get(i));
            assertThat(lease.fencingToken()).isGreaterThan(token);
            boolean renewed = i % 3 == 0 || i == 4;
            assertThat(lease.remaining())
                    .as("of number " + i)
                    .isBetween(Duration.ofSeconds(renewed ? 25 : 5), renewed ? LONG : fixed);
            assertThat(backend().remaining(NAME)).isGreaterThan(lease.remaining());
        }
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldRenewWhatWasHandedOver() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease first = registry.acquire(request());
        CompletableFuture<Lease> second = registry.acquireAsync(patient());
        CompletableFuture<Lease> third = registry.acquireAsync(patient());
        assertThat(first.release()).isTrue();
        awaitRenewals(get(second));
        assertThat(get(second).release()).isTrue();
        awaitRenewals(get(third));
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        assertThat(get(third).release()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldNotLetShortWaitsDisturbLongOnes(int handOffs) throws Exception {
        LeasingLockRegistry registry = registry(handOffs);
        Lease taken = registry.acquire(request());
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> patient = new ArrayList<>();
        List<CompletableFuture<?>> impatient = new ArrayList<>();
        LockRequest brief = request().withWaitTime(Duration.ofMillis(300));
        for (int i = 0; i < 4; i++) {
            int number = i;
            patient.add(actor().start(() -> registry.execute(patient(), lease -> served.add(number))));
            awaitWaiting(registry, i + 1);
        }
        for (int i = 0; i < 4; i++) {
            impatient.add(i % 2 == 0 ? registry.acquireAsync(brief) : actor().start(() -> registry.acquire(brief)));
        }
        for (CompletableFuture<?> each : impatient) {
            assertThat(failureOf(each)).isInstanceOf(LockNotGrantedException.class);
        }
        awaitWaiting(registry, 4);

        assertThat(taken.release()).isTrue();

        for (CompletableFuture<?> each : patient) {
            get(each);
        }
        assertThat(served).containsExactly(0, 1, 2, 3);
    }
}
