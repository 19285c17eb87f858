package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Readers wait, in threads or without, and leave nothing when they give up. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReadersWaitContract extends SharedFixture {

    private static final Duration SHORT = Duration.ofMillis(150);

    ReadersWaitContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldShareWithoutThreads() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        Lease first = get(registry.acquireAsync(reader()));
        Lease second = get(registry.acquireAsync(reader()));
        Lease third = registry.acquire(reader());

        assertThat(List.of(second.fencingToken(), third.fencingToken())).containsOnly(first.fencingToken());
        assertThat(get(second.releaseAsync())).isTrue();
        assertThat(get(first.releaseAsync())).isTrue();
        assertThat(third.isHeld()).isTrue();
        assertThat(third.release()).isTrue();
    }

    @Test
    void shouldEndAWaitByAnInterrupt() throws Exception {
        LeaseLock writing = registry(quiet(NONE)).getLock(NAME);
        LeasingLockRegistry registry = registry(quiet(NONE));
        LeaseLock reading = registry.getReadWriteLock(NAME).readLock();
        writing.lock();
        List<Callable<?>> waits = List.of(
                () -> {
                    reading.lockInterruptibly();
                    return true;
                },
                () -> reading.tryLock(LONG),
                () -> registry.acquire(reader().withWaitTime(LONG)));
        for (Callable<?> wait : waits) {
            Actor first = actor();
            CompletableFuture<?> firstEnd = first.start(wait);
            awaitInLine(1);
            Actor second = actor();
            CompletableFuture<?> secondEnd = second.start(wait);
            awaitWaiting(registry, 2);

            second.interrupt();
            assertThat(failureOf(secondEnd)).isInstanceOf(InterruptedException.class);
            first.interrupt();
            assertThat(failureOf(firstEnd)).isInstanceOf(InterruptedException.class);
            awaitWaiting(registry, 0);
            awaitInLine(0);
        }

        writing.unlock();
        assertThat(backend().locked()).isEmpty();
        assertThat(reading.tryLock()).isTrue();
        reading.unlock();
    }

    @Test
    void shouldEndAWaitInTimeAndPassThePositionOn() throws Exception {
        Lease writing = registry(quiet(NONE)).acquire(request());
        LeasingLockRegistry registry = registry(quiet(NONE));
        CompletableFuture<Boolean> brief =
                actor().start(() -> registry.getReadWriteLock(NAME).readLock().tryLock(SHORT));
        awaitWaiting(registry, 1);
        CompletableFuture<Lease> lasting = registry.acquireAsync(reader());

        assertThat(get(brief)).isFalse();
        assertThat(lasting).isNotDone();
        awaitWaiting(registry, 1);
        awaitInLine(1);
        writing.release();

        assertThat(get(lasting).release()).isTrue();
    }

    @Test
    void shouldEndTheWaitOfAWriterInTime() throws Exception {
        Lease reading = registry(quiet(NONE)).acquire(reader());
        LeasingLockRegistry registry = registry(quiet(NONE));

        assertThat(registry.tryAcquire(request().withWaitTime(SHORT))).isEmpty();

        assertThat(backend().inLine(NAME)).isZero();
        assertThat(registry.tryAcquire(reader().withWaitTime(Duration.ZERO))).hasValueSatisfying(Lease::release);
        reading.release();
    }

    @Test
    void shouldLeaveWhenAStageIsCancelled() throws Exception {
        Lease writing = registry(quiet(NONE)).acquire(request());
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        CompletableFuture<Lease> cancelled = registry.acquireAsync(reader());
        awaitInLine(1);
        CompletableFuture<Lease> other = registry.acquireAsync(reader());

        cancelled.cancel(false);
        awaitWaiting(registry, 1);
        writing.release();

        assertThat(get(other).release()).isTrue();
        assertThat(registry.active()).isZero();
    }

    /** The grant and the end of the wait race with each other; whoever wins, nothing is left. */
    @Test
    void shouldLeaveNothingWhenAGrantMeetsTheEndOfAWait() throws Exception {
        LeasingLockRegistry here = registry(quiet(GENEROUS));
        LeasingLockRegistry there = registry(quiet(GENEROUS));
        for (int round = 0; round < 20; round++) {
            Lease writing = here.acquire(request());
            List<CompletableFuture<Lease>> readers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                readers.add(there.acquireAsync(reader()));
            }
            awaitInLine(1);
            CompletableFuture<Boolean> released = writing.releaseAsync().toCompletableFuture();
            boolean cancelled = readers.get(round % 3).cancel(false);
            get(released);
            for (int i = 0; i < 3; i++) {
                if (i != round % 3 || !cancelled) {
                    assertThat(get(readers.get(i)).release()).isTrue();
                }
            }
            soon().until(() -> backend().locked().isEmpty() && there.active() == 0 && there.waiting() == 0);
        }
    }

    @Test
    void shouldWaitForRunningReadersAtAStop() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        CountDownLatch end = new CountDownLatch(1);
        List<CompletableFuture<Boolean>> bodies = new ArrayList<>();
        for (Actor actor : actors(2)) {
            bodies.add(actor.start(() -> registry.execute(reader(), lease -> end.await(30, TimeUnit.SECONDS))));
        }
        soon().until(() -> registry.active() == 2);

        CompletableFuture<Boolean> stopped = actor().start(() -> {
            registry.stop();
            return true;
        });
        // Before the stop has begun, the lock is still granted, and that lease must not be left.
        soon().until(() ->
                get(registry.acquireAsync(reader()).thenApply(Lease::release).exceptionally(failure -> null)) == null);
        assertThat(stopped).isNotDone();
        assertThat(registry().tryAcquire(request().withWaitTime(Duration.ZERO))).isEmpty();
        end.countDown();

        for (CompletableFuture<Boolean> body : bodies) {
            assertThat(get(body)).isTrue();
        }
        get(stopped);
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldEndAllWaitsAtAStop() throws Exception {
        Lease writing = registry(quiet(NONE)).acquire(request());
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        List<CompletableFuture<?>> waits = List.of(
                registry.acquireAsync(reader()),
                actor().start(() -> registry.getReadWriteLock(NAME).readLock().tryLock(LONG)),
                actor().start(() -> registry.acquire(reader())));
        awaitWaiting(registry, 3);
        awaitInLine(1);

        registry.stop();

        for (CompletableFuture<?> wait : waits) {
            assertThat(failureOf(wait)).isExactlyInstanceOf(LockException.class).hasMessageContaining(NAME);
        }
        awaitInLine(0);
        assertThat(writing.release()).isTrue();
    }

    @Test
    void shouldLoseReadersThatAreNotDoneInTime() throws Exception {
        LeasingLockRegistry registry =
                registry(withShutdownTimeout(Duration.ofMillis(100)).withHandOff(GENEROUS));
        Lease first = registry.acquire(reader());
        Lease second = registry.acquire(reader());

        registry.stop();

        assertThat(get(first.lost())).isEqualTo(LossReason.SHUTDOWN);
        assertThat(get(second.lost())).isEqualTo(LossReason.SHUTDOWN);
        assertThat(backend().locked()).as("bodies may still run").hasSize(1);
        assertThat(registry().getReadWriteLock(NAME).readLock().forceUnlock()).isTrue();
    }
}
