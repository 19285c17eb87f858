package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Readers of one instance share a grant of the store, for as long as its admission window is open. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReadersSharingContract extends SharedFixture {

    ReadersSharingContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldShareOneGrantWithoutTheStore() throws Exception {
        LeaseLock lock = registry(quiet(GENEROUS)).getReadWriteLock(NAME).readLock();
        long before = backend().commands();
        lock.lock();
        assertThat(backend().commands()).isEqualTo(before + 1);
        List<Actor> readers = actors(16);

        List<Long> tokens = atOnce(readers, () -> {
            lock.lock();
            return lock.currentLease().fencingToken();
        });

        assertThat(tokens).containsOnly(lock.currentLease().fencingToken());
        lock.unlock();
        for (Actor reader : readers.subList(1, 16)) {
            reader.tell(lock::unlock);
        }
        assertThat(backend().commands()).as("one reader is left").isEqualTo(before + 1);
        assertThat(readers.get(0).ask(lock::isHeldByCurrentThread)).isTrue();
        assertThat(backend().locked()).hasSize(1);
        readers.get(0).tell(lock::unlock);
        assertThat(backend().commands()).isEqualTo(before + 2);
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldAdmitAllThatHaveWaited() throws Exception {
        Lease writer = registry(quiet(NONE)).acquire(request());
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            readers.add(registry.acquireAsync(reader()));
        }
        awaitWaiting(registry, 16);
        awaitInLine(1);
        long before = backend().commands();

        writer.release();

        long token = get(readers.get(0)).fencingToken();
        for (CompletableFuture<Lease> each : readers) {
            assertThat(get(each).fencingToken()).isEqualTo(token);
        }
        for (CompletableFuture<Lease> each : readers) {
            assertThat(get(each).release()).isTrue();
        }
        // Two releases, the claim of the grant, and a query of the waiter.
        assertThat(backend().commands() - before).isLessThanOrEqualTo(5);
    }

    @Test
    void shouldJoinWithinTheWindowAlthoughAWriterWaits() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        Lease first = registry.acquire(reader());
        CompletableFuture<Lease> writer = registry(quiet(NONE)).acquireAsync(request());
        awaitInLine(1);

        Lease joined = registry.tryAcquire(reader().withWaitTime(Duration.ZERO)).orElseThrow();

        assertThat(joined.fencingToken()).isEqualTo(first.fencingToken());
        first.release();
        assertThat(writer).isNotDone();
        joined.release();
        assertThat(get(writer).release()).isTrue();
    }

    /** The renewals come after a quarter of a second and after half of one, which is longer than the window. */
    @Test
    void shouldQueueBehindAWaitingWriterAfterTheWindowWhichNothingReopens() throws Exception {
        LeasingLockRegistry registry = registry(lasting().withHandOff(new HandOffSettings(Duration.ofMillis(300), 64)));
        Lease first = registry.acquire(reader());
        CompletableFuture<Lease> writer = registry().acquireAsync(request());
        awaitInLine(1);

        awaitRenewals(first);
        first.extend(LASTING.plusSeconds(1));

        assertThat(registry.tryAcquire(reader().withWaitTime(Duration.ZERO))).isEmpty();
        CompletableFuture<Lease> late = registry.acquireAsync(reader());
        awaitInLine(2);
        assertThat(first.release()).isTrue();
        Lease writing = get(writer);
        assertThat(late).isNotDone();
        assertThat(writing.release()).isTrue();
        assertThat(get(late).fencingToken()).isGreaterThan(writing.fencingToken());
        get(late).release();
    }

    @Test
    void shouldAskTheStoreForAGrantOfItsOwnWithoutAWindow() throws Exception {
        LeasingLockRegistry registry = registry(quiet(NONE));

        Lease first = registry.acquire(reader());
        Lease second = registry.acquire(reader());

        assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
        assertThat(first.release()).isTrue();
        assertThat(registry().tryAcquire(request().withWaitTime(Duration.ZERO))).isEmpty();
        assertThat(second.release()).isTrue();
    }

    /** The store could end such a grant before those that would share it, or must not end it with them. */
    @Test
    void shouldNotShareAGrantWithAnEndOfItsOwn() throws Exception {
        for (LockRequest special : List.of(
                reader().withLease(LONG), reader().withMaxHold(LONG), reader().withMinHold(Duration.ofMillis(1)))) {
            LeasingLockRegistry registry = registry(quiet(GENEROUS));
            Lease alone = registry.acquire(special);
            Lease other = registry.acquire(reader());
            assertThat(other.fencingToken()).isNotEqualTo(alone.fencingToken());
            Lease again = registry.acquire(special);
            assertThat(again.fencingToken()).isNotIn(alone.fencingToken(), other.fencingToken());
            for (Lease each : List.of(alone, other, again)) {
                assertThat(each.release()).isTrue();
            }
            // The key of two minimum holds that end together stays for the lease, but the lock is free.
            registry.acquire(request()).release();
            assertThat(backend().locked()).isEmpty();
        }
    }

    @Test
    void shouldNotJoinAGrantThatHasBeenReleased() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        Lease first = registry.acquire(reader());
        first.release();
        Lease writer = registry().acquire(request());

        assertThat(registry.tryAcquire(reader().withWaitTime(Duration.ZERO))).isEmpty();

        writer.release();
        Lease second = registry.acquire(reader());
        assertThat(second.fencingToken()).isGreaterThan(writer.fencingToken());
        second.release();
    }

    /** With the default window of ten milliseconds, and readers that come without a pause. */
    @Test
    void shouldNotStarveAWriter() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock reading = registry.getReadWriteLock(NAME).readLock();
        LeaseLock writing = registry().getReadWriteLock(NAME).writeLock();
        AtomicBoolean end = new AtomicBoolean();
        AtomicInteger readers = new AtomicInteger();
        List<CompletableFuture<Boolean>> ends = new ArrayList<>();
        for (Actor actor : actors(4)) {
            ends.add(actor.start(() -> {
                while (!end.get()) {
                    reading.lock();
                    readers.incrementAndGet();
                    Thread.onSpinWait();
                    readers.decrementAndGet();
                    reading.unlock();
                }
                return true;
            }));
        }

        for (int i = 0; i < 5; i++) {
            assertThat(writing.tryLock(Duration.ofSeconds(10))).isTrue();
            assertThat(readers).hasValue(0);
            // Long enough for the readers to enter beside the writer, if they could.
            Thread.onSpinWait();
            assertThat(readers).hasValue(0);
            writing.unlock();
        }

        end.set(true);
        for (CompletableFuture<Boolean> each : ends) {
            get(each);
        }
    }
}
