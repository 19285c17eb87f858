package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.engine.ReleaseMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Releases that do not wait for the store change nothing about who may be in. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class BackgroundReleaseContract extends RegistryFixture {

    BackgroundReleaseContract(LockBackend backend) {
        super(backend);
    }

    private static LockSettings inBackground(int handOffs) {
        return settings(LONG)
                .withReleaseMode(ReleaseMode.BACKGROUND)
                .withHandOff(new HandOffSettings(Duration.ofSeconds(10), handOffs));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldLetOneInAtATimeInTheOrderOfTheTokens(int handOffs) throws Exception {
        int rounds = 60;
        AtomicInteger inside = new AtomicInteger();
        List<Long> tokens = new ArrayList<>();
        List<CompletableFuture<Boolean>> ends = new ArrayList<>();
        for (int jvm = 0; jvm < 3; jvm++) {
            LeaseLock lock = registry(inBackground(handOffs)).getLock(NAME);
            for (int thread = 0; thread < 3; thread++) {
                ends.add(actor().start(() -> {
                    for (int round = 0; round < rounds; round++) {
                        lock.lock();
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        tokens.add(lock.currentLease().fencingToken());
                        inside.decrementAndGet();
                        lock.unlock();
                    }
                    return true;
                }));
            }
        }
        for (CompletableFuture<Boolean> end : ends) {
            get(end);
        }

        assertThat(tokens).hasSize(9 * rounds).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldGrantToTheSameThreadWhatItHasJustReleased() {
        LeaseLock lock = registry(inBackground(64)).getLock(NAME);
        for (int i = 0; i < 1000; i++) {
            assertThat(lock.tryLock()).as("after " + i + " times").isTrue();
            lock.unlock();
        }
    }

    @Test
    void shouldGrantToAnotherThreadWhatWasJustReleased() throws Exception {
        LeaseLock lock = registry(inBackground(64)).getLock(NAME);
        Actor other = actor();
        for (int i = 0; i < 200; i++) {
            assertThat(lock.tryLock()).as("after " + i + " times").isTrue();
            lock.unlock();
            assertThat(other.ask(() -> lock.tryLock())).isTrue();
            other.tell(lock::unlock);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldServeInTheOrderOfArrival(int handOffs) throws Exception {
        LeasingLockRegistry registry = registry(inBackground(handOffs));
        Lease taken = registry.acquire(request());
        List<Integer> served = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        LockRequest patient = request().withWaitTime(LONG);
        for (int i = 0; i < 100; i++) {
            int number = i;
            expected.add(i);
            ends.add(registry.acquireAsync(i % 3 == 0 ? patient.withLease(LONG) : patient)
                    .thenAccept(lease -> {
                        served.add(number);
                        lease.close();
                    }));
        }

        assertThat(taken.release()).isTrue();

        for (CompletableFuture<Void> end : ends) {
            get(end);
        }
        assertThat(served).isEqualTo(expected);
    }

    @Test
    void shouldHaveReleasedWhenItStops() throws Exception {
        LeasingLockRegistry registry = registry(inBackground(64));
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            leases.add(registry.acquire(LockRequest.of("orders:" + i)));
        }
        leases.forEach(Lease::close);

        registry.stop();

        soon().until(() -> backend().locked().isEmpty());
        assertThat(registry.active()).isZero();
    }
}
