package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseSemaphore;
import io.github.lockstarter.LockException;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Permits are granted in the order of arrival, and a waiter that gives up keeps none. */
abstract class PermitsWaitContract extends SharedFixture {

    PermitsWaitContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldServeThreadsInTheOrderOfArrival() throws Exception {
        for (HandOffSettings handOff : List.of(GENEROUS, NONE)) {
            LeasingLockRegistry registry = registry(quiet(handOff));
            LeaseSemaphore semaphore = registry.getSemaphore(NAME, 1);
            List<Integer> served = Collections.synchronizedList(new ArrayList<>());
            Lease held = semaphore.acquire();
            List<CompletableFuture<Boolean>> ends = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int number = i;
                ends.add(actor().start(() -> {
                    try (Lease lease = semaphore.acquire()) {
                        return served.add(number);
                    }
                }));
                awaitWaiting(registry, i + 1);
            }
            held.release();
            for (CompletableFuture<Boolean> end : ends) {
                get(end);
            }
            assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
        }
    }

    @Test
    void shouldPassNobodyWhoWaitsForMore() throws Exception {
        LeaseSemaphore here = registry(quiet(NONE)).getSemaphore(NAME, 3);
        LeaseSemaphore there = registry(quiet(NONE)).getSemaphore(NAME, 3);
        Lease two = here.acquire(2);
        CompletableFuture<Lease> waiting = there.acquireAsync(2).toCompletableFuture();
        awaitInLine(1);

        assertThat(here.tryAcquire()).as("one is there").isEmpty();
        CompletableFuture<Lease> one = here.acquireAsync().toCompletableFuture();
        awaitInLine(2);
        two.release();

        assertThat(get(waiting).isHeld()).isTrue();
        assertThat(get(one).isHeld()).isTrue();
        get(waiting).release();
        get(one).release();
    }

    @Test
    void shouldServeAWaiterForTwoAtAReleaseOfTwo() throws Exception {
        for (HandOffSettings handOff : List.of(GENEROUS, NONE)) {
            LeasingLockRegistry registry = registry(quiet(handOff));
            LeaseSemaphore semaphore = registry.getSemaphore(NAME, 2);
            LeaseSemaphore elsewhere = registry(quiet(handOff)).getSemaphore(NAME, 2);
            for (LeaseSemaphore waiter : List.of(semaphore, elsewhere)) {
                Lease both = semaphore.acquire(2);
                CompletableFuture<Lease> first = waiter.acquireAsync(2).toCompletableFuture();
                awaitInLine(1);
                both.release();
                get(first).release();

                Lease one = semaphore.acquire();
                Lease other = semaphore.acquire();
                CompletableFuture<Lease> second = waiter.acquireAsync(2).toCompletableFuture();
                awaitInLine(1);
                one.release();
                assertThat(second).isNotDone();
                other.release();
                get(second).release();
            }
        }
    }

    @Test
    void shouldWaitForRunningBodiesAndEndWaitsAtAStop() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> body =
                actor().start(() -> registry.execute(permits(1, 1), lease -> end.await(30, TimeUnit.SECONDS)));
        soon().until(() -> registry.active() == 1);
        CompletableFuture<Lease> async = registry.acquireAsync(permits(1, 1));
        CompletableFuture<Lease> blocked = actor().start(() -> registry.acquire(permits(1, 1)));
        awaitWaiting(registry, 2);

        CompletableFuture<Boolean> stopped = actor().start(() -> {
            registry.stop();
            return true;
        });
        assertThat(failureOf(async)).isExactlyInstanceOf(LockException.class);
        assertThat(failureOf(blocked)).isExactlyInstanceOf(LockException.class);
        assertThat(stopped).isNotDone();
        end.countDown();

        assertThat(get(body)).isTrue();
        get(stopped);
        assertThat(backend().locked()).isEmpty();
    }
}
