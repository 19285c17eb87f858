package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LeaseReadWriteLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Readers read together, a writer writes alone, and the order of arrival decides. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ReadersContract extends SharedFixture {

    ReadersContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldLetReadersOfSeveralInstancesReadTogetherAndAWriterWriteAlone() {
        LeaseReadWriteLock here = registry().getReadWriteLock(NAME);
        LeaseReadWriteLock there = registry().getReadWriteLock(NAME);
        LeaseReadWriteLock writer = registry().getReadWriteLock(NAME);

        here.readLock().lock();
        assertThat(there.readLock().tryLock()).isTrue();
        assertThat(writer.writeLock().tryLock()).isFalse();
        here.readLock().unlock();
        assertThat(writer.writeLock().tryLock()).as("one still reads").isFalse();
        there.readLock().unlock();

        assertThat(writer.writeLock().tryLock()).isTrue();
        assertThat(here.readLock().tryLock()).isFalse();
        assertThat(there.writeLock().tryLock()).isFalse();
        writer.writeLock().unlock();
    }

    @Test
    void shouldBeThePlainLockForAWriter() {
        LeasingLockRegistry here = registry();
        LeaseReadWriteLock there = registry().getReadWriteLock(NAME);

        here.getLock(NAME).lock();
        assertThat(here.getReadWriteLock(NAME).writeLock().isHeldByCurrentThread())
                .isTrue();
        assertThat(there.readLock().tryLock()).isFalse();
        assertThat(there.writeLock().tryLock()).isFalse();
        here.getReadWriteLock(NAME).writeLock().unlock();
    }

    @Test
    void shouldGiveTheLockToAWaitingWriterWhenTheLastReaderLeaves() throws Exception {
        Lease first = registry(quiet(NONE)).acquire(reader());
        Lease second = registry(quiet(NONE)).acquire(reader());
        CompletableFuture<Lease> writer = registry(quiet(NONE)).acquireAsync(request());
        awaitInLine(1);

        first.release();
        assertThat(writer).isNotDone();
        second.release();

        assertThat(get(writer).release()).isTrue();
    }

    @Test
    void shouldWakeAllReadersTogether() throws Exception {
        Lease writer = registry(quiet(NONE)).acquire(request());
        List<CompletableFuture<Lease>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            readers.add(registry(quiet(NONE)).acquireAsync(reader()));
        }
        awaitInLine(4);

        writer.release();

        for (CompletableFuture<Lease> each : readers) {
            assertThat(get(each).fencingToken()).isGreaterThan(writer.fencingToken());
        }
        for (CompletableFuture<Lease> each : readers) {
            assertThat(get(each).release()).isTrue();
        }
    }

    @Test
    void shouldNotPassAWaitingWriter() throws Exception {
        Lease reading = registry(quiet(NONE)).acquire(reader());
        CompletableFuture<Lease> writer = registry(quiet(NONE)).acquireAsync(request());
        awaitInLine(1);
        LeasingLockRegistry late = registry(quiet(NONE));

        assertThat(late.tryAcquire(reader().withWaitTime(Duration.ZERO))).isEmpty();
        CompletableFuture<Lease> behind = late.acquireAsync(reader());
        awaitInLine(2);
        reading.release();

        Lease writing = get(writer);
        assertThat(behind).isNotDone();
        writing.release();
        assertThat(get(behind).release()).isTrue();
    }

    @Test
    void shouldLetReadersEnterAgainAlthoughAWriterWaits() throws Exception {
        LeasingLockRegistry here = registry(quiet(NONE));
        LeaseLock lock = here.getReadWriteLock(NAME).readLock();
        lock.lock();
        long token = lock.currentLease().fencingToken();
        CompletableFuture<Lease> writer = registry(quiet(NONE)).acquireAsync(request());
        awaitInLine(1);

        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(here.<Long, RuntimeException>execute(reader(), Lease::fencingToken))
                .isEqualTo(token);
        assertThat(lock.getHoldCount()).isEqualTo(4);
        for (int i = 0; i < 3; i++) {
            lock.unlock();
        }
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(writer).isNotDone();
        lock.unlock();

        assertThat(get(writer).release()).isTrue();
    }

    @Test
    void shouldRefuseAnUpgradeAtOnce() throws Exception {
        LeasingLockRegistry registry = registry(quiet(GENEROUS));
        LeaseReadWriteLock lock = registry.getReadWriteLock(NAME);
        lock.readLock().lock();
        long commands = backend().commands();
        List<Callable<?>> upgrades = List.of(
                () -> {
                    lock.writeLock().lock();
                    return true;
                },
                () -> {
                    lock.writeLock().lock(LONG);
                    return true;
                },
                () -> {
                    lock.writeLock().lockInterruptibly();
                    return true;
                },
                () -> lock.writeLock().tryLock(),
                () -> lock.writeLock().tryLock(LONG),
                () -> registry.getLock(NAME).tryLock(),
                () -> registry.<Boolean, RuntimeException>execute(request(), lease -> true),
                () -> registry.acquire(request()),
                () -> registry.tryAcquire(request().withWaitTime(Duration.ZERO)),
                () -> get(registry.acquireAsync(request())));

        for (Callable<?> upgrade : upgrades) {
            assertThatIllegalStateException().isThrownBy(upgrade::call).withMessageContaining(NAME);
        }

        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(registry.waiting()).isZero();
        assertThat(lock.writeLock().getHoldCount()).isZero();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        lock.readLock().unlock();
        lock.writeLock().lock();
        lock.writeLock().unlock();
    }

    /** It would wait for itself behind a writer that waits for this thread. */
    @Test
    void shouldRefuseALeaseOfNoThreadInAThreadThatReads() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getReadWriteLock(NAME).readLock();
        lock.lock();

        for (LockRequest each : List.of(reader(), request())) {
            assertThatIllegalStateException().isThrownBy(() -> registry.acquire(each));
            assertThatIllegalStateException().isThrownBy(() -> get(registry.acquireAsync(each)));
        }

        lock.unlock();
    }
}
