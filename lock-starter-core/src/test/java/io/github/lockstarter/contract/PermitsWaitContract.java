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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Permits are granted in the order of arrival, and a waiter that gives up keeps none. */
abstract class PermitsWaitContract extends SharedFixture {

    private static final Duration SHORT = Duration.ofMillis(150);

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
    void shouldServeInstancesInTheOrderOfArrival() throws Exception {
        Lease held = registry(quiet(NONE)).getSemaphore(NAME, 1).acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(
                    registry(quiet(NONE)).getSemaphore(NAME, 1).acquireAsync().toCompletableFuture());
            awaitInLine(i + 1);
        }

        held.release();
        for (int i = 0; i < 4; i++) {
            Lease next = get(waiting.get(i));
            assertThat(waiting.subList(i + 1, 4)).noneMatch(CompletableFuture::isDone);
            next.release();
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
    void shouldServeSeveralWaitersAtAReleaseOfTwo() throws Exception {
        LeaseSemaphore here = registry(quiet(NONE)).getSemaphore(NAME, 2);
        LeasingLockRegistry other = registry(quiet(NONE));
        LeaseSemaphore there = other.getSemaphore(NAME, 2);
        Lease both = here.acquire(2);
        CompletableFuture<Lease> first = there.acquireAsync().toCompletableFuture();
        awaitInLine(1);
        CompletableFuture<Lease> second = there.acquireAsync().toCompletableFuture();
        awaitWaiting(other, 2);

        both.release();

        assertThat(get(first).isHeld()).isTrue();
        assertThat(get(second).isHeld()).isTrue();
        assertThat(get(second).fencingToken()).isNotEqualTo(get(first).fencingToken());
        get(first).release();
        get(second).release();
    }

    /** Otherwise an instance with many waiters would keep a permit for ever. */
    @Test
    void shouldLetAnotherInstanceHaveItsTurn() throws Exception {
        LeaseSemaphore semaphore = registry(quiet(GENEROUS)).getSemaphore(NAME, 1);
        Lease held = semaphore.acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(semaphore.acquireAsync().toCompletableFuture());
        }
        awaitInLine(1);
        CompletableFuture<Lease> other =
                registry(quiet(NONE)).getSemaphore(NAME, 1).acquireAsync().toCompletableFuture();
        awaitInLine(2);

        held.release();
        get(waiting.get(0)).release();

        // The next waiter of the first instance has entered the line behind it.
        get(other).release();
        for (CompletableFuture<Lease> next : waiting.subList(1, waiting.size())) {
            get(next).release();
        }
    }

    @Test
    void shouldLeaveNothingOfWaitersThatGiveUp() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        LeaseSemaphore semaphore = registry.getSemaphore(NAME, 1);
        Lease held = registry(quiet(NONE)).getSemaphore(NAME, 1).acquire();
        Actor interrupted = actor();
        CompletableFuture<Lease> interruptedEnd = interrupted.start(() -> semaphore.acquire());
        awaitInLine(1);
        CompletableFuture<?> timedOut = actor().start(() -> semaphore.tryAcquire(SHORT));
        CompletableFuture<Lease> cancelled = semaphore.acquireAsync().toCompletableFuture();
        awaitWaiting(registry, 3);

        interrupted.interrupt();
        assertThat(failureOf(interruptedEnd)).isInstanceOf(InterruptedException.class);
        cancelled.cancel(false);
        assertThat(get(timedOut)).isEqualTo(Optional.empty());

        awaitWaiting(registry, 0);
        awaitInLine(0);
        held.release();
        assertThat(backend().locked()).isEmpty();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    /** A release, in memory or in the store, meets the end of the first wait; whoever wins, no permit is lost. */
    @Test
    void shouldLeaveNothingWhenAGrantMeetsTheEndOfAWait() throws Exception {
        for (HandOffSettings handOff : List.of(GENEROUS, NONE)) {
            LeasingLockRegistry registry = registry(quiet(handOff));
            LeaseSemaphore semaphore = registry.getSemaphore(NAME, 1);
            Actor waiter = actor();
            for (int round = 0; round < 20; round++) {
                Lease held = semaphore.acquire();
                CompletableFuture<Lease> interruptedEnd = waiter.start(() -> semaphore.acquire());
                awaitInLine(1);
                CompletableFuture<Lease> cancelled = semaphore.acquireAsync().toCompletableFuture();
                CompletableFuture<Lease> last = semaphore.acquireAsync().toCompletableFuture();
                CompletableFuture<Boolean> released = held.releaseAsync().toCompletableFuture();
                waiter.interrupt();
                if (!cancelled.cancel(false)) {
                    get(cancelled).release();
                }
                assertThat(get(released)).isTrue();
                Throwable failure = failureOf(interruptedEnd);
                if (failure == null) {
                    get(interruptedEnd).release();
                } else {
                    assertThat(failure).isInstanceOf(InterruptedException.class);
                }
                assertThat(get(last).release()).isTrue();
                soon().until(() -> backend().locked().isEmpty() && registry.active() == 0);
                waiter.ask(Thread::interrupted);
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
