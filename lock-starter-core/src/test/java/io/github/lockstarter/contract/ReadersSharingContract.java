package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
}
