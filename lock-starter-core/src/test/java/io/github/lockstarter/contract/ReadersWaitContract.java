package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Readers wait, in threads or without, and leave nothing when they give up. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReadersWaitContract extends SharedFixture {

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
}
